package com.intellij.diff;

import com.intellij.diff.requests.DiffRequest;
import com.intellij.openapi.Disposable;
import javax.swing.JComponent;

public interface DiffRequestPanel extends Disposable {
    JComponent getComponent();

    void setRequest(DiffRequest request);
}
