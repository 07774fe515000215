// Runs tests inside VS Code's extension host. They read expected.json from the folder above the workspace, and write
// report.json there.
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const tests = [];
const workspace = vscode.workspace.workspaceFolders[0].uri;
const beside = (name) => path.join(path.dirname(workspace.fsPath), name);
const expected = JSON.parse(fs.readFileSync(beside("expected.json"), "utf8"));

/**
 * Wait until `state()` is true and return its value; after a timeout, raise an error with the value of `seen()`. `pause`:
 * the milliseconds between two calls.
 */
async function until(state, seen = state, seconds = 30, pause = 50) {
  for (const end = Date.now() + seconds * 1000; ; ) {
    const reached = await state();
    if (reached) return reached;
    if (Date.now() > end) throw new Error(`never reached; there is ${JSON.stringify(await seen())}`);
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** The same for a state that is seen only by opening editors, which costs CPU time. */
const rarely = (state) => until(state, state, 30, 500);

const uriOf = (name) => vscode.Uri.joinPath(workspace, name);
/** The bytes of a file, each as one character. */
const bytesOf = (name) => fs.readFileSync(uriOf(name).fsPath, "latin1");
const findings = (uri) => vscode.languages.getDiagnostics(uri).filter((one) => one.source === "uncuda");

/** Open a file in an editor. */
async function open(name, options) {
  const document = await vscode.workspace.openTextDocument(uriOf(name), options);
  await vscode.window.showTextDocument(document);
  return document;
}

/** Wait until a document has exactly these findings: [rule, marked text, message]. */
async function shows(document, wanted) {
  const shown = () => findings(document.uri).map((one) => [one.code.value, document.getText(one.range), one.message]).sort();
  await until(() => JSON.stringify(shown()) === JSON.stringify([...wanted].sort()), shown);
}

/**
 * Return the resolved code actions of a kind at a range. VS Code cancels a request for code actions when an extension
 * registers a provider meanwhile, as extensions do while they start; the light bulb asks again then, and so does this.
 */
const actions = (uri, range, kind) =>
  until(async () => {
    try {
      return await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, range, kind, 50);
    } catch (error) {
      if (error.name !== "Canceled") throw error;
      return null;
    }
  });

/** Replace a document's text by its original text, and save it. */
async function restore(document, text) {
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, all, text);
  assert(await vscode.workspace.applyEdit(edit));
  assert(await document.save());
}

const test = (name, body) => tests.push({ name, body });

async function run() {
  const report = [];
  for (const { name, body } of tests) {
    let error = null;
    try {
      await body();
    } catch (caught) {
      error = caught.stack;
    }
    report.push({ name, error });
  }
  fs.writeFileSync(beside("report.json"), JSON.stringify(report));
}

module.exports = { actions, assert, beside, bytesOf, expected, findings, open, rarely, restore, run, shows, test, until, uriOf, vscode };
