/** A minimal zip archive for Lambda: one uncompressed file. */
import { crc32 } from 'node:zlib'

const dosDay = 0x0021

/**
 * A zip file with `text` as the file `name`. The same input gives the same bytes, so the hash shows whether it has
 * changed.
 */
export function zipOf(name: string, text: string): Buffer {
  const [path, body] = [Buffer.from(name), Buffer.from(text)]
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(dosDay, 8)
  common.writeUInt32LE(crc32(body), 10)
  common.writeUInt32LE(body.length, 14)
  common.writeUInt32LE(body.length, 18)
  common.writeUInt16LE(path.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, body])
  return Buffer.concat([local, ending(path, common, local.length)])
}

/** The central directory and its end record. The file is readable for everybody. */
function ending(path: Buffer, common: Buffer, at: number): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE((0o100644 << 16) >>> 0, 6)
  const made = Buffer.from([20, 3])
  const list = Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), made, common, rest, path])
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([list, end])
}
