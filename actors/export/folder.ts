/** Exports as files of one folder, named by id: their paths, and their deletion. */
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { isUuid } from '#engine/value/id.ts'
import type { ExportLimits } from '#actors/export/quota.ts'

/** What the edge needs to store exports. */
export interface Exports {
  readonly folder: string
  /**
   * Keys for signing links, 32 bytes each. The first signs; links signed with the others are valid until they expire.
   */
  readonly secrets: () => readonly Buffer[]
  /** Maximum rows of one file. */
  readonly rowsMax: number
  readonly limits: ExportLimits
}

/** Exports leave a tenth of the free disk space unused: the stores may be on the same disk. */
const freeShare = 0.9

/** Maximum bytes of all files: `percent` of the disk of the folder, and never more than is free. */
export const diskBytes =
  (folder: string, percent: number): ExportLimits['diskBytes'] =>
  async (taken) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { bsize, blocks, bavail } = await statfs(folder)
    return Math.min((blocks * bsize * percent) / 100, taken + bavail * bsize * freeShare)
  }

/** Milliseconds for which a file is kept. */
export const keptMs = 24 * 3_600_000

export const pathOf = ({ folder }: Pick<Exports, 'folder'>, id: string): string => path.join(folder, id)

/** Deletes files that are more than a day old, including those without a row. Returns their number. */
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
