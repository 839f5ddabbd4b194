import { count } from '../../figure.ts'

/** A size as people read it. */
export const bytes = (size: number): string =>
  size < 1000
    ? `${count(size)} B`
    : size < 1e6
      ? `${count(Math.round(size / 100) / 10)} kB`
      : `${count(Math.round(size / 1e5) / 10)} MB`
