// Tests that fixes in VS Code keep the same bytes of programs that are not UTF-8 as `uncuda fix` does, whichever
// encoding the editor opened them with.
const fs = require("node:fs");
const { actions, assert, bytesOf, expected, findings, open, run, test, until, uriOf, vscode } = require("./harness");

const original = bytesOf("closed.py");
const everything = (document) => new vscode.Range(0, 0, document.lineCount, 0);

test("closed: left alone and named, with what does it", async () => {
  const other = await open("other.py");
  await until(() => findings(other.uri).length > 0);
  const result = await vscode.commands.executeCommand("uncuda.fixAllInWorkspace");
  assert.strictEqual(result.applied, true, JSON.stringify(result));
  await vscode.workspace.saveAll(false);
  assert.deepStrictEqual(bytesOf("other.py"), expected.fixed["other.py"]);
  for (const name of ["closed.py", "as_utf8.py", "as_latin1.py"]) {
    assert(result.skipped.some((one) => one.uri.endsWith(name)), JSON.stringify(result.skipped));
    assert.deepStrictEqual(bytesOf(name), original, name);
  }
});

test("open as UTF-8: found, and not fixed", async () => {
  const document = await open("as_utf8.py");
  assert(document.getText().includes("\uFFFD"));
  await until(() => findings(document.uri).length > 0);
  for (const action of await actions(document.uri, everything(document)))
    assert(action.disabled || !action.edit, JSON.stringify(action));
  for (const command of ["uncuda.fixAllInFile", "uncuda.fixAllInWorkspace"]) {
    const result = await vscode.commands.executeCommand(command);
    assert(result.skipped.some((one) => one.uri.endsWith("as_utf8.py")), JSON.stringify(result));
  }
  assert(!document.isDirty);
});

/** Return the code actions that VS Code would apply on save. */
const onSave = async (document) =>
  (await actions(document.uri, everything(document), "source.fixAll.uncuda")).filter((one) => one.edit && !one.disabled);

test("open as UTF-8: fixing on save has nothing to make", async () => {
  const document = await open("as_utf8.py");
  assert.deepStrictEqual(await onSave(document), []);
  assert.deepStrictEqual(bytesOf("as_utf8.py"), original);
});

test("open as latin-1: fixed as `uncuda fix` does", async () => {
  const document = await open("as_latin1.py", { encoding: "iso88591" });
  assert(document.getText().includes("café"));
  await until(() => findings(document.uri).length > 0);
  assert.strictEqual((await onSave(document)).length, 1);
  const result = await vscode.commands.executeCommand("uncuda.fixAllInFile");
  assert.strictEqual(result.applied, true, JSON.stringify(result));
  assert(await document.save());
  assert.deepStrictEqual(bytesOf("as_latin1.py"), expected.fixed["as_latin1.py"]);
});

test("UTF-8, and the settings say latin-1: left alone and named, with what does it", async () => {
  const text = 'import torch.distributed as dist\ns = "中文"; dist.init_process_group(backend="nccl")\n';
  fs.writeFileSync(uriOf("wide.py").fsPath, text, "utf8");
  const before = bytesOf("wide.py");
  const files = vscode.workspace.getConfiguration("files");
  await files.update("encoding", "iso88591", vscode.ConfigurationTarget.Workspace);
  const result = await vscode.commands.executeCommand("uncuda.fixAllInWorkspace");
  assert(result.skipped.some((one) => one.uri.endsWith("wide.py") && one.reason.includes("iso88591")), JSON.stringify(result));
  await vscode.workspace.saveAll(false);
  await files.update("encoding", undefined, vscode.ConfigurationTarget.Workspace);
  assert.deepStrictEqual(bytesOf("wide.py"), before);
});

exports.run = run;
