import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Some systems accept socket paths of up to 103 bytes and silently truncate longer ones. */
const pathMaxBytes = 100

export interface OwnSocket {
  readonly file: string
  /** Removes the socket and the folder made for it. */
  remove(): void
}

/**
 * The private socket path of a folder's server. If the path would be too long, the socket is in a new folder below the
 * temporary folder; one left by a killed process is removed.
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
