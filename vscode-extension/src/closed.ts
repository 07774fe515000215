/**
 * Removes the state that the language client keeps for a document that was closed while a request for its diagnostics
 * was running. With this state, the client would ignore all later diagnostics of the document while the document has a
 * tab.
 */

import type { TextDocument, Uri } from "vscode";
import type { Middleware } from "vscode-languageclient/node";

type Provide = NonNullable<Middleware["provideDiagnostics"]>;

/**
 * Return middleware that requests diagnostics as the client does. If the document was closed when the reply came,
 * `forget` is called, unless another request for the document is running or the document `isOpen` again.
 */
export function forgetting(forget: (document: TextDocument) => void, isOpen: (uri: string) => boolean): Provide {
  const asked = new Map<string, number>();
  return async (document, previous, token, next) => {
    const uri = keyOf(document);
    asked.set(uri, (asked.get(uri) ?? 0) + 1);
    try {
      return await next(document, previous, token);
    } finally {
      const left = (asked.get(uri) ?? 1) - 1;
      if (left) {
        asked.set(uri, left);
      } else {
        asked.delete(uri);
      }
      if ("isClosed" in document && document.isClosed) {
        setTimeout(() => {
          if (!asked.has(uri) && !isOpen(uri)) {
            // called later, because the client still has to process the reply, and may send another request
            forget(document);
          }
        });
      }
    }
  };
}

function keyOf(document: TextDocument | Uri): string {
  return ("uri" in document ? document.uri : document).toString();
}
