import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { unpackPage } from '#streams/billing/file/parquet/codec.ts'
import { RunReader } from '#streams/billing/file/parquet/run-reader.ts'
import { converter } from '#streams/billing/file/parquet/value.ts'
import { openSource } from '#streams/billing/file/source.ts'
import { bytes, lines } from '#test/streams/billing/reading.ts'

const pathOf = (name: string) => new URL(`fixtures/${name}.parquet`, import.meta.url).pathname
const contentOf = (name: string) => readFileSync(pathOf(name))

async function rowsOf(input: Parameters<typeof openSource>[0]): Promise<Record<string, unknown>[]> {
  const source = await openSource(input)
  const rows = await Array.fromAsync(source.rows)
  expect([source.kind, source.unit, rows.map(({ row }) => row)]).to.deep.equal([
    'parquet',
    'row',
    rows.map((_, index) => index + 1),
  ])
  return rows.map((found) => ('fields' in found ? { ...found.fields } : {}))
}

async function faultOf(content: Buffer): Promise<string> {
  try {
    return `${(await rowsOf(bytes(content))).length} rows`
  } catch (error) {
    if (error instanceof Fault) return `${error.code}: ${error.message}`
    throw error
  }
}

const kinds = {
  text: 'é-1',
  large_text: 'row 1',
  bytes: 'b1',
  flag: false,
  int8: '-1',
  int32: '-2000',
  int64: '9007199254740994',
  uint32: '4294967294',
  uint64: '18446744073709551614',
  float: '0.1',
  double: '0.0000001',
  decimal_small: '-1.75',
  decimal: '-12345678901234567889.123456789012345678',
  decimal_wide: '2.000000000000000000000000000000000000000001',
  day: '2026-10-02',
  time_s: '2026-10-01T01:00:00Z',
  time_ms: '2026-10-01T01:00:00.5Z',
  time_us: '1969-12-31T23:59:59.000001Z',
  time_ns: '2026-10-01T00:00:00.000000001Z',
  zoned: '2026-10-01T01:00:00Z',
}

describe('a source of rows in Parquet', () => {
  it('shows decimals in bytes exactly, of any size and sign', () => {
    const bytesOf = (units: bigint, length: number) =>
      Buffer.from(
        BigInt.asUintN(8 * length, units)
          .toString(16)
          .padStart(2 * length, '0'),
        'hex',
      )
    const shown = (units: bigint, length: number, scale: number) =>
      converter({ name: 'x', type: 'FIXED_LEN_BYTE_ARRAY', converted_type: 'DECIMAL', scale })(bytesOf(units, length))
    const found = [
      shown(0n, 16, 14),
      shown(-1n, 16, 14),
      shown(-128n, 1, 0),
      shown(10n ** 7n, 4, 7),
      shown(-(10n ** 7n), 16, 2),
      shown(2n ** 72n - 1n, 16, 14),
      shown(-(2n ** 72n), 16, 0),
      shown(2n ** 72n, 16, 0),
      shown(-(10n ** 38n) + 1n, 16, 38),
    ]
    expect(found).to.deep.equal([
      '0',
      '-0.00000000000001',
      '-128',
      '1',
      '-100000',
      '47223664.82869645213695',
      '-4722366482869645213696',
      '4722366482869645213696',
      `-0.${'9'.repeat(38)}`,
    ])
  })

  it('shows every kind of value as exact text, in each encoding, and leaves empty ones out', async () => {
    const doubles = ['0.1', '0.0000001', '-0.0000000025', undefined, '1000000000000000000000', '123456.789']
    for (const name of ['kinds', 'kinds-v2', 'kinds-plain', 'kinds-delta']) {
      const rows = await rowsOf(pathOf(name))
      expect(rows[1], name).to.deep.equal(kinds)
      expect(rows[3], name).to.deep.equal({})
      expect(rows.map(({ double }) => double).slice(0, 6), name).to.deep.equal(doubles)
      expect(rows.map(({ int64 }) => int64).at(-1), name).to.equal('-9007199254740987')
      expect(rows.map(({ text }) => text).slice(0, 3), name).to.deep.equal(['-0', 'é-1', 'é€-0'])
    }
  })

  it('unpacks snappy, gzip, brotli, lz4 and zstd', async () => {
    const wanted = (await rowsOf(pathOf('kinds'))).map(({ text, double, decimal }) =>
      text === undefined ? {} : { text, double, decimal },
    )
    for (const codec of ['snappy', 'gzip', 'brotli', 'lz4', 'zstd'])
      expect(await rowsOf(pathOf(`codec-${codec}`)), codec).to.deep.equal(wanted)
  })

  it('reads times of 96 bits to the nanosecond', async () => {
    const rows = await rowsOf(pathOf('int96'))
    expect(rows.at(-1)).to.deep.equal({
      time_us: '1969-12-31T23:59:59.000006Z',
      time_ns: '2026-10-01T00:00:00.000000006Z',
    })
  })

  it('makes objects of maps and structs, and arrays of lists, as JSON has them', async () => {
    const wanted = [
      {
        id: 'a',
        map: { team: 'shop', 'a:b': null },
        map_of_numbers: { edp: '0.25' },
        list: ['x', null],
        structs: [{ key: 'k', value: 'v' }, null],
        struct: { id: 'p', number: '7', labels: [{ key: 'k' }] },
        lists: [['a'], [], null, ['b', 'c']],
      },
      { id: 'b', map: {}, list: [], structs: [] },
      { id: 'c', map_of_numbers: {}, struct: { id: null, number: null, labels: null }, lists: [[]] },
      {
        id: 'd',
        map: JSON.parse('{"__proto__":"x"}') as object,
        map_of_numbers: { x: '0.0000001' },
        list: ['y'],
        structs: [{ key: 'l', value: null }],
        struct: { id: 'q', number: '8', labels: [] },
        lists: [],
      },
    ]
    for (const name of ['nested', 'nested-v2']) expect(await rowsOf(pathOf(name)), name).to.deep.equal(wanted)
  })

  it('reads the same from a stream, gzipped or not, as from a file', async () => {
    const wanted = await rowsOf(pathOf('nested'))
    expect(await rowsOf(bytes(contentOf('nested'), 100))).to.deep.equal(wanted)
    expect(await rowsOf(bytes(gzipSync(contentOf('nested'))))).to.deep.equal(wanted)
  })

  it('reads the bills that clouds write: amounts to the last digit, tags of nested columns', async () => {
    const found: unknown[] = []
    for (const name of ['cur2.snappy', 'focus.zstd', 'azure', 'gcp.gzip'])
      for (const { ChargePeriodStart, BilledCost, Tags } of await lines(contentOf(name)))
        found.push([name, ChargePeriodStart, BilledCost, Tags])
    expect(found).to.deep.equal([
      ['cur2.snappy', '2026-10-02T00:00:00Z', '1.25', { team: 'shop' }],
      ['cur2.snappy', '2026-10-03T00:00:00Z', '0.0000001', { team: 'web' }],
      ['focus.zstd', '2026-10-02T00:00:00Z', '0.10000000000001', { team: 'shop' }],
      ['focus.zstd', '2026-10-03T00:00:00Z', '0.2', undefined],
      ['azure', '2026-10-02T00:00:00Z', '3.5', { team: 'shop' }],
      ['azure', '2026-10-03T00:00:00Z', '0.0000000001', undefined],
      ['gcp.gzip', '2026-10-02T00:00:00Z', '2', { team: 'web', app: 'till' }],
      ['gcp.gzip', '2026-10-03T00:00:00Z', '0.000000001', { team: 'web' }],
    ])
  })

  it('never reads a part of a file that was cut', async () => {
    const whole = contentOf('kinds-plain')
    for (let size = 4; size < whole.length; size += 1499)
      expect(await faultOf(whole.subarray(0, size)), `${size}`).to.match(
        /^parquet_invalid: The Parquet file is corrupt: /,
      )
  })

  it('finds every damaged byte of a page that has a check sum', async () => {
    const whole = contentOf('kinds-plain')
    const footer = whole.readUInt32LE(whole.length - 8)
    for (let at = 4; at < whole.length - footer - 8; at += 1999) {
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 0x10
      expect(await faultOf(damaged), `${at}`).to.match(/^(?:parquet_invalid|file_format|7 rows)/)
    }
    const value = Buffer.from(whole)
    value[value.indexOf('\u0005\0\0\0row 5') + 8]! ^= 1
    expect(await faultOf(value)).to.equal(
      'parquet_invalid: The Parquet file is corrupt: the checksum of a page does not match.',
    )
  })

  it('names a codec that is not read, and encryption', async () => {
    const lzo = contentOf('codec-snappy').toString('latin1').replaceAll('text\u0015\u0002', 'text\u0015\u0006')
    expect(await faultOf(Buffer.from(lzo, 'latin1'))).to.equal(
      'file_format: The Parquet file is compressed with LZO; supported: snappy, gzip, zstd, brotli and lz4.',
    )
    const secret = Buffer.concat([contentOf('kinds').subarray(0, -4), Buffer.from('PARE')])
    expect(await faultOf(secret)).to.equal('file_format: The Parquet file is encrypted.')
  })

  it('unpacks a page to no more than it says it holds', () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000))
    expect(() => unpackPage('GZIP', bomb, 1000)).to.throw('a page is not valid gzip')
    expect(() => unpackPage('GZIP', bomb, 2_000_000)).to.throw('a page does not have its declared length')
  })

  it('takes a page of snappy or lz4 for broken that is cut, or comes to another length than it says', () => {
    const hello = Buffer.from('hello')
    const snappy = Buffer.from([5, 4 << 2, ...hello])
    const raw = Buffer.from([0x50, ...hello])
    // As Hadoop frames it: the length unpacked, and packed.
    const framed = Buffer.from([0, 0, 0, 5, 0, 0, 0, 6, ...raw])
    const back = Buffer.from([0x51, ...hello, 5, 0, 0x10, 33])
    const packed = [
      ['SNAPPY', snappy] as const,
      ['LZ4_RAW', raw] as const,
      ['LZ4', raw] as const,
      ['LZ4', framed] as const,
    ]
    for (const [codec, bytes] of packed) {
      expect(Buffer.from(unpackPage(codec, bytes, 5)).toString(), codec).to.equal('hello')
      for (const size of [3, 6, 60]) expect(() => unpackPage(codec, bytes, size), codec).to.throw('a page ')
      expect(() => unpackPage(codec, bytes.subarray(0, -2), 5), codec).to.throw('a page ')
    }
    expect(Buffer.from(unpackPage('LZ4_RAW', back, 11)).toString()).to.equal('hellohello!')
  })

  it('takes a footer for broken that names no column', async () => {
    const whole = contentOf('empty').toString('latin1')
    const nameless = whole.replace('\u0018\u0004text', '\u0048\u0004text')
    expect(nameless).not.to.equal(whole)
    expect(await faultOf(Buffer.from(nameless, 'latin1'))).to.equal(
      'parquet_invalid: The Parquet file is corrupt: a column has no name.',
    )
  })

  it('reads a file without rows', async () => {
    expect(await rowsOf(pathOf('empty'))).to.deep.equal([])
  })

  it('takes no memory for runs, and reads none past their end', () => {
    const run = new RunReader(Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 1]), 0, 6, 1)
    expect([run.next(), run.next()]).to.deep.equal([1, 1])
    const packed = new RunReader(Buffer.from([0x03, 0b1110_0100]), 0, 2, 2)
    expect([packed.next(), packed.next(), packed.next(), packed.next()]).to.deep.equal([0, 1, 2, 3])
    expect(() => packed.next()).to.throw('a page ends early')
  })
})
