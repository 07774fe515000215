/**
 * What the language client keeps of documents that were closed while their diagnostics were asked for: it would pass
 * over what the server says of them from then on, for as long as they have a tab.
 */

import type { TextDocument, Uri } from "vscode";
import type { Middleware } from "vscode-languageclient/node";

type Provide = NonNullable<Middleware["provideDiagnostics"]>;

/**
 * Asks as the client does, and forgets a document that was answered while closed: `forget` is called once nothing more
 * is asked about it, and not if it `isOpen` again.
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
            forget(document); // not at once: the client is about to take the answer, and may ask again
          }
        });
      }
    }
  };
}

function keyOf(document: TextDocument | Uri): string {
  return ("uri" in document ? document.uri : document).toString();
}
