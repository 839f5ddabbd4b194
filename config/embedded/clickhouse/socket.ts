import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** The kernel takes paths of sockets up to 103 bytes on some systems; a longer one would be cut short in silence. */
const pathMaxBytes = 100

export interface OwnSocket {
  readonly file: string
  /** Removes it, and the folder made for it. */
  remove(): void
}

/**
 * Where a server of this folder, which is ours alone, listens. Where the path is too long, in a fresh folder of ours among the
 * temporary ones; the one of a process that was killed is removed.
 */
export function ownSocket(dir: string): OwnSocket {
  const note = path.join(dir, 'socket')
  const before = fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : undefined
  if (before && path.dirname(before) !== dir) fs.rmSync(path.dirname(before), { recursive: true, force: true })
  const usual = path.join(dir, 'clickhouse.sock')
  const isLong = Buffer.byteLength(usual) > pathMaxBytes
  const folder = isLong ? fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-')) : dir
  const file = path.join(folder, 'clickhouse.sock')
  fs.writeFileSync(note, file, { mode: 0o600 })
  const remove = (): void => {
    fs.rmSync(note, { force: true })
    fs.rmSync(isLong ? folder : file, { recursive: true, force: true })
  }
  return { file, remove }
}
