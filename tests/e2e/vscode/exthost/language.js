// Tests of one program: diagnostics, fixes, saving, another accelerator, and the same after a restart of the server.
const fs = require("node:fs");
const { actions, assert, beside, bytesOf, expected, findings, open, rarely, restore, run, shows, test, until, vscode } = require("./harness");

const COMMANDS = ["fixAllInFile", "fixAllInWorkspace", "previewFixAllInWorkspace", "switchTarget", "restart", "showLogs", "debugInformation"];
const { npu, musa } = expected.findings;
let document, original;

test("the extension is activated", async () => {
  document = await open("train.py");
  original = document.getText();
  const extension = vscode.extensions.getExtension("uncuda.uncuda");
  await until(() => extension.isActive);
  const missing = async () => {
    const known = new Set(await vscode.commands.getCommands(true));
    return COMMANDS.filter((name) => !known.has(`uncuda.${name}`));
  };
  await until(async () => !(await missing()).length, missing);
});

test("diagnostics are what the engine finds, each with its rule's page", async () => {
  await shows(document, npu);
  for (const one of findings(document.uri)) assert(one.code.target.toString().includes(one.code.value), one.code);
});

test("a quick fix makes its edit", async () => {
  const [first] = findings(document.uri);
  const offered = await actions(document.uri, first.range, "quickfix");
  const preferred = offered.filter((one) => one.isPreferred);
  assert.strictEqual(preferred.length, 1, JSON.stringify(offered.map((one) => one.title)));
  assert(await vscode.workspace.applyEdit(preferred[0].edit));
  await until(() => findings(document.uri).length === npu.length - 1, () => findings(document.uri).length);
  await vscode.commands.executeCommand("undo");
  await shows(document, npu);
});

// VS Code lists actions without a diagnostic below those with one, so this order also shows that all actions have one.
test("quick fixes come in the order in which they are needed", async () => {
  for (const one of findings(document.uri)) {
    const offered = (await actions(document.uri, one.range, "quickfix")).filter(({ title }) => !/^uncuda:/.test(title));
    const titles = offered.map(({ title }) => title);
    const order = ({ title, command }) =>
      /^Fix all '/.test(title) ? 1 : command ? 2 : /^Ignore .* on this line$/.test(title) ? 3 : /^Ignore /.test(title) ? 4 : 0;
    const places = offered.map(order);
    assert.deepStrictEqual(places, [...places].sort(), JSON.stringify(titles));
    assert(places.includes(2) && places.includes(4), JSON.stringify(titles));
    for (const { title, kind, isPreferred } of offered) {
      assert.strictEqual(kind?.value, "quickfix", title);
      assert(!isPreferred || !/to review/.test(title), title);
    }
  }
});

test("fix all on save", async () => {
  const editor = vscode.workspace.getConfiguration("editor", document);
  await editor.update("codeActionsOnSave", { "source.fixAll.uncuda": "explicit" }, vscode.ConfigurationTarget.Workspace);
  await vscode.commands.executeCommand("workbench.action.files.save");
  await until(() => !document.isDirty);
  assert.deepStrictEqual(bytesOf("train.py"), expected.fixed["train.py"]);
  await editor.update("codeActionsOnSave", undefined, vscode.ConfigurationTarget.Workspace);
  await restore(document, original);
});

test("fix all in the file", async () => {
  const result = await vscode.commands.executeCommand("uncuda.fixAllInFile");
  assert.strictEqual(result.applied, true);
  assert(await document.save());
  assert.deepStrictEqual(bytesOf("train.py"), expected.fixed["train.py"]);
  await restore(document, original);
});

test("fix all in the workspace is what `uncuda fix` does, and one undo takes it back", async () => {
  const before = bytesOf("sub/other.py");
  const result = await vscode.commands.executeCommand("uncuda.fixAllInWorkspace");
  assert.strictEqual(result.applied, true, JSON.stringify(result));
  await vscode.workspace.saveAll(false);
  for (const name of ["train.py", "sub/other.py"]) assert.deepStrictEqual(bytesOf(name), expected.fixed[name], name);
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("undo");
  await until(() => document.getText() === original);
  const saved = async () => (await vscode.workspace.saveAll(false)) && bytesOf("sub/other.py") === before;
  await until(saved, () => bytesOf("sub/other.py"));
  await shows(document, npu);
});

test("settings hold at once", async () => {
  const settings = vscode.workspace.getConfiguration("uncuda", document);
  const set = (name, value) => settings.update(name, value, vscode.ConfigurationTarget.Workspace);
  await set("configurationPreference", "editorFirst");
  await set("target", "musa");
  await shows(document, musa);
  await set("ignore", [musa[0][0]]);
  await shows(document, musa.filter(([rule]) => rule !== musa[0][0]));
  for (const name of ["ignore", "target", "configurationPreference"]) await set(name, undefined);
  await shows(document, npu);
});

/** Return the process id that the server writes into its debug information. */
async function running() {
  await vscode.commands.executeCommand("uncuda.debugInformation");
  const text = () => vscode.window.activeTextEditor?.document.getText() ?? "";
  const said = await until(() => /^uncuda .*, process (\d+)$/m.exec(text()), text);
  await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  await vscode.window.showTextDocument(document);
  return said[1];
}

test("the server is started anew only where another Python comes out", async () => {
  const settings = vscode.workspace.getConfiguration("uncuda", document);
  const set = (value) => settings.update("interpreter", value, vscode.ConfigurationTarget.Workspace);
  const python = settings.get("interpreter");
  const [log, wrapper] = [beside("starts"), beside("wrapper")];
  fs.writeFileSync(wrapper, `#!/bin/sh\necho "$*" >> '${log}'\nexec '${python}' "$@"\n`, { mode: 0o755 });
  const before = await running();
  await set(`${python}  `);
  assert.strictEqual(await running(), before);
  await set(wrapper);
  const other = () => running().catch(() => before); // the server that gets the request may just be stopping
  await rarely(async () => (await other()) !== before);
  const wrapped = await running();
  await set(` ${wrapper}`);
  // changes of the setting are processed in order, so the previous change has been processed when this one has
  await set(undefined);
  await rarely(async () => (await other()) !== wrapped);
  assert.strictEqual(fs.readFileSync(log, "utf8").match(/ server /g).length, 1);
  await shows(document, npu);
});

test("a restarted server is another one, and goes on", async () => {
  const before = await running();
  assert.strictEqual(await running(), before);
  await vscode.commands.executeCommand("uncuda.restart");
  assert.notStrictEqual(await running(), before);
  await shows(document, npu);
  await vscode.commands.executeCommand("uncuda.fixAllInFile");
  await until(() => findings(document.uri).length < npu.length, () => findings(document.uri).length);
  await restore(document, original);
});

test("a server that crashes is replaced", async () => {
  const before = await running();
  process.kill(Number(before), "SIGKILL");
  await rarely(async () => (await running().catch(() => before)) !== before); // a request may have been sent to the killed server
  await shows(document, npu);
});

test("an untitled program is checked", async () => {
  const untitled = await vscode.workspace.openTextDocument({ language: "python", content: original });
  await vscode.window.showTextDocument(untitled);
  await shows(untitled, npu);
});

exports.run = run;
