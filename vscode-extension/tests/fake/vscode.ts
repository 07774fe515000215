/** The parts of VS Code's API that the search for a Python uses; tests set what they return. */

type Listener = (event: unknown) => void;

export class EventEmitter {
  readonly #listeners: Listener[] = [];
  readonly event = (listener: Listener) => {
    this.#listeners.push(listener);
    return { dispose: () => undefined };
  };
  fire(event?: unknown): void {
    this.#listeners.forEach((listener) => {
      listener(event);
    });
  }
  dispose(): void {
    this.#listeners.length = 0;
  }
}

export const state = {
  interpreter: "",
  extensions: {} as Record<string, unknown>,
};

export const workspace = {
  isTrusted: true,
  workspaceFolders: [] as { uri: { scheme: string; fsPath: string } }[],
  getConfiguration: () => ({ get: () => state.interpreter }),
};

export const extensions = {
  getExtension: (id: string) => 
    id in state.extensions ? { activate: () => Promise.resolve(state.extensions[id]) } : undefined,
};

export const l10n = {
  t: (text: string, ...values: unknown[]) => text.replace(/{(\d)}/g, (_, index: string) => String(values[Number(index)])),
};
