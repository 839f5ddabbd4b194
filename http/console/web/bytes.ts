import { count } from './figure.ts'

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** A size as people read it. */
export function bytes(size: number): string {
  const at = size < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3))
  return `${count(at === 0 ? size : Math.round(size / 1000 ** at / 0.1) / 10)} ${units[at]}`
}
