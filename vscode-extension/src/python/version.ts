/** Versions of Python, as they say themselves what they are. */

export type Version = readonly [major: number, minor: number, patch: number];

export const OLDEST: Version = [3, 10, 0];

/** What `sys.version_info[:3]` is when it is printed with dots; undefined for anything else. */
export function parseVersion(text: string): Version | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

export function isNewEnough(version: Version): boolean {
  const [major, minor] = version;
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
