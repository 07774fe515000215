// Tests of a notebook: its cells are checked, and fixed one by one and all together.
const { actions, assert, findings, run, test, until, uriOf, vscode } = require("./harness");
const fs = require("node:fs");

let notebook, cell;
const source = () => JSON.parse(fs.readFileSync(notebook.uri.fsPath, "utf8")).cells[0].source.join("");

test("cells are checked", async () => {
  notebook = await vscode.workspace.openNotebookDocument(uriOf("notebook.ipynb"));
  await vscode.window.showNotebookDocument(notebook);
  cell = notebook.cellAt(0).document;
  await until(() => findings(cell.uri).length === 2, () => findings(cell.uri).map((one) => one.message));
});

test("a quick fix changes its cell", async () => {
  const [first] = findings(cell.uri);
  const [preferred] = (await actions(cell.uri, first.range, "quickfix")).filter((one) => one.isPreferred);
  assert(await vscode.workspace.applyEdit(preferred.edit));
  await until(() => findings(cell.uri).length === 1, () => findings(cell.uri).map((one) => one.message));
  assert.match(cell.getText(), /device="npu"/);
});

test("code actions are there, too, when another provider is registered meanwhile", async () => {
  const [first] = findings(cell.uri);
  const asked = actions(cell.uri, first.range, "quickfix");
  const other = vscode.languages.registerCodeActionsProvider("python", { provideCodeActions: () => [] });
  assert((await asked).some((one) => one.isPreferred));
  other.dispose();
});

test("fix all in the notebook", async () => {
  const result = await vscode.commands.executeCommand("uncuda.fixAllInFile");
  assert.strictEqual(result.applied, true, JSON.stringify(result));
  assert(await notebook.save());
  assert.match(source(), /torch\.npu\.synchronize\(\)/);
  assert.doesNotMatch(source(), /cuda/);
});

exports.run = run;
