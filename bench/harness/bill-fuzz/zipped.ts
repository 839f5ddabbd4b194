import { crc32, deflateRawSync } from 'node:zlib'

/** A zip archive of a few small files. */
export function zipped(files: readonly (readonly [string, Buffer])[]): Buffer {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const [name, bytes] of files) {
    const [label, packed] = [Buffer.from(name), deflateRawSync(bytes)]
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(8, 4)
    about.writeUInt16LE(0x5d41, 8)
    about.writeUInt32LE(crc32(bytes), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(bytes.length, 18)
    about.writeUInt16LE(label.length, 22)
    const entry = Buffer.alloc(46)
    entry.write('PK\u0001\u0002\u0014', 0, 'latin1')
    about.copy(entry, 6)
    entry.writeUInt32LE(at, 42)
    entries.push(entry, label)
    const part = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), about, label, packed])
    parts.push(part)
    at += part.length
  }
  const list = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 0, 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, list, end])
}
