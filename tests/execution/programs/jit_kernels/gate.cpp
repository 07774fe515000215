// gate(x, y): x * sigmoid(y) for tensors of the GPU, called through Python's interface alone.
#include <Python.h>

static PyObject *gate(PyObject *, PyObject *args) {
  PyObject *x, *y;
  if (!PyArg_ParseTuple(args, "OO", &x, &y)) return nullptr;
  PyObject *on_gpu = PyObject_GetAttrString(x, "is_cuda");
  if (!on_gpu) return nullptr;
  const bool ok = PyObject_IsTrue(on_gpu);
  Py_DECREF(on_gpu);
  if (!ok) {
    PyErr_SetString(PyExc_RuntimeError, "x must be a CUDA tensor");
    return nullptr;
  }
  PyObject *open = PyObject_CallMethod(y, "sigmoid", nullptr);
  if (!open) return nullptr;
  PyObject *out = PyNumber_Multiply(x, open);
  Py_DECREF(open);
  return out;
}

static PyMethodDef methods[] = {{"gate", gate, METH_VARARGS, "x * sigmoid(y)"}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "gate_ext", nullptr, -1, methods};

PyMODINIT_FUNC PyInit_gate_ext() { return PyModule_Create(&module); }
