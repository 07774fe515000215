package com.intellij.openapi.fileEditor;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.vfs.VirtualFile;

public abstract class FileDocumentManager {
    public static FileDocumentManager getInstance() {
        throw new com.intellij.Stub();
    }

    public abstract Document getDocument(VirtualFile file);

    public abstract VirtualFile getFile(Document document);

    public abstract void saveDocument(Document document);

    public abstract void saveAllDocuments();
}
