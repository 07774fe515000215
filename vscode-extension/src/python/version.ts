/** Versions of Python, as `sys.version_info` has them. */

export type Version = readonly [major: number, minor: number, patch: number];

export const OLDEST: Version = [3, 10, 0];

/** Parse `sys.version_info[:3]`, printed with dots; return undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

export function isNewEnough(version: Version): boolean {
  const [major, minor] = version;
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
