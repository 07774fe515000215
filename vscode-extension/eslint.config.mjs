import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["bundle", "dist", "node_modules"] },
  {
    files: ["src/**/*.ts", "tests/**/*.ts"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "max-lines": ["error", 160],
      "max-lines-per-function": ["error", 50],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  // node:test's functions return promises that nobody awaits.
  { files: ["tests/**/*.ts"], rules: { "@typescript-eslint/no-floating-promises": "off" } },
);
