// Runs pytest inside Python for WebAssembly, without a network.
//   node run.mjs PYODIDE_FOLDER CHECKOUT PACKAGES PYTEST_ARGUMENT…
// Exit code: pytest's.
import { pathToFileURL } from "node:url";
import path from "node:path";

const [folder, checkout, packages, ...pytestArguments] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));

const pyodide = await loadPyodide({
  indexURL: folder + path.sep,
  env: { HOME: "/tmp", PYTHONDONTWRITEBYTECODE: "1", UNCUDA_CORPUS: "/tmp/corpus" },
  stdout: (line) => console.log(line),
  stderr: (line) => console.error(line),
});
for (const [inside, outside] of [["/checkout", checkout], ["/packages", packages]]) {
  pyodide.FS.mkdirTree(inside);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: outside }, inside);
}
pyodide.globals.set("pytest_arguments", pyodide.toPy(pytestArguments));
try {
  process.exitCode = await pyodide.runPythonAsync(`
import os, sys
os.chdir("/checkout")
sys.path.append("/packages")
import pytest
# There is no second process and no file descriptor to capture, and the checkout stays as it is.
alone = ["--capture=sys", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--hypothesis-profile=ci"]
int(pytest.main([*alone, *pytest_arguments]))
`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 3;
}
