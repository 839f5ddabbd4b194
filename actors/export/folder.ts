/** Exports as files of one folder, each under its id: where they are, and how they go. */
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { isUuid } from '#engine/value/id.ts'
import type { ExportLimits } from '#actors/export/quota.ts'

/** What the edge keeps exports with. */
export interface Exports {
  readonly folder: string
  /** What links are signed with, 32 bytes each: the first signs, those before it are good as long as links are. */
  readonly secrets: () => readonly Buffer[]
  /** Rows of one file. */
  readonly rowsMax: number
  readonly limits: ExportLimits
}

/** Of what is free on the disk exports leave a tenth: the stores may be on it. */
const freeShare = 0.9

/** What all files may take of the disk that the folder is on: `percent` of it, and never more than is free. */
export const diskBytes =
  (folder: string, percent: number): ExportLimits['diskBytes'] =>
  async (taken) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { bsize, blocks, bavail } = await statfs(folder)
    return Math.min((blocks * bsize * percent) / 100, taken + bavail * bsize * freeShare)
  }

/** How long a file is kept. */
export const keptMs = 24 * 3_600_000

export const pathOf = ({ folder }: Pick<Exports, 'folder'>, id: string): string => path.join(folder, id)

/** Removes the files that are older than a day, those included that nothing knows of any more. How many. */
export async function sweep(folder: string, now: Date): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  let removed = 0
  for (const name of names.filter((one) => isUuid(one.replace(/\.part$/, '')))) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (!found || now.getTime() - found.mtimeMs < keptMs) continue
    await rm(file, { force: true })
    removed++
  }
  return removed
}
