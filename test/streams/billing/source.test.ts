import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { openSource, type SourceRow } from '#streams/billing/file/source.ts'
import { bytes } from '#test/streams/billing/reading.ts'

async function read(content: string | Buffer, size?: number): Promise<{ header: readonly string[]; rows: unknown[] }> {
  const source = await openSource(bytes(content, size))
  const rows: unknown[] = []
  for await (const found of source.rows) rows.push(shown(found))
  return { header: source.header, rows }
}

const shown = (found: SourceRow): unknown =>
  'fault' in found ? [found.row, found.fault.code] : [found.row, { ...found.fields }]

async function faultOf(content: string | Buffer): Promise<string> {
  try {
    await read(content)
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
  return 'read'
}

const plain = 'a,b\n1,2\n3,4\n'
const two = {
  header: ['a', 'b'],
  rows: [
    [2, { a: '1', b: '2' }],
    [3, { a: '3', b: '4' }],
  ],
}

describe('a source of rows', () => {
  it('reads the same rows with a byte order mark, quotes, CRLF, blank lines, a missing last newline, and gzipped', async () => {
    const spellings = [
      plain,
      '\uFEFF"a","b"\r\n"1","2"\r\n"3","4"\r\n',
      'a,b\r1,2\r3,4',
      'a , b\n1,2\r\n3,4,\n',
      'a;b\n1;2\n3;4\n',
      '\uFEFFa\tb\r\n1\t2\r\n3\t4\r\n',
    ]
    for (const content of spellings) {
      expect(await read(content), content).to.deep.equal(two)
      expect(await read(gzipSync(content)), content).to.deep.equal(two)
    }
  })

  it('takes for the delimiter what cuts the header into the most columns', async () => {
    const first = async (content: string) => (await read(content)).header
    expect(await first('a;b,c;d\n')).to.deep.equal(['a', 'b,c', 'd'])
    expect(await first('"a;b;c",d\n')).to.deep.equal(['a;b;c', 'd'])
    expect(await first('\n\na;b\n')).to.deep.equal(['a', 'b'])
    expect(await first('a\n')).to.deep.equal(['a'])
  })

  it('passes over the line by which Excel is told the delimiter', async () => {
    expect(await read('sep=;\na;b\n1;2\n')).to.deep.equal({ header: ['a', 'b'], rows: [[3, { a: '1', b: '2' }]] })
  })

  it('reads decimal commas between semicolons or tabs, and says so, where nothing speaks against it', async () => {
    const costs = async (delimiter: string, ...amounts: string[]) => {
      const content = [`Cost${delimiter}Name`, ...amounts.map((cell) => `${cell}${delimiter}1,5`)].join('\n')
      const source = await openSource(bytes(content))
      const rows = await Array.fromAsync(source.rows)
      const found = rows.map((row) =>
        'fields' in row ? [row.fields['Cost'], row.fields['Name']].join(' ') : row.fault.code,
      )
      return [found, source.warnings.map(({ message }) => message)]
    }
    const message = 'Commas were read as decimal points: 0,10 as 0.10.'
    // 12,345 and 1.234 can be meant in two ways: 0,10 says in which. Names are no amounts.
    expect(await costs(';', '12,345', '0,10', '-1.234,5', '1.234', '7')).to.deep.equal([
      ['12.345 1,5', '0.10 1,5', '-1234.5 1,5', '1234 1,5', '7 1,5'],
      [message],
    ])
    expect(await costs('\t', '1,5E-7', '2')).to.deep.equal([
      ['1.5E-7 1,5', '2 1,5'],
      ['Commas were read as decimal points: 1,5E-7 as 1.5E-7.'],
    ])
    for (const amounts of [
      ['12,345', '1.234'],
      ['0,10', '0.5'],
      ['1,234.50', '12,345'],
    ])
      expect(await costs(';', ...amounts)).to.deep.equal([amounts.map((cost) => `${cost} 1,5`), []])
  })

  it('numbers rows by the line of the file they begin on: blank lines and those within quotes count', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const content = ['', 'a,b', '', '1,"x', '', 'y"', '', '', '2,z', '3', '"4', '",5'].join(end)
      const wanted = [4, 9, 10, 11]
      for (const size of [1, 65536]) {
        const source = await openSource(bytes(content, size))
        const found = (await Array.fromAsync(source.rows)).map(({ row }) => row)
        expect([found, source.unit], JSON.stringify(end)).to.deep.equal([wanted, 'line'])
      }
    }
    const json = await openSource(bytes('\n{"a":1}\n\n \n{"a":2}\n5'))
    expect((await Array.fromAsync(json.rows)).map(({ row }) => row)).to.deep.equal([2, 5, 6])
    expect(json.unit).to.equal('line')
  })

  it('numbers the elements of a JSON array, and says that it does', async () => {
    const source = await openSource(bytes('[\n{"a":1},\n\n5, {"a":2}]'))
    expect((await Array.fromAsync(source.rows)).map(({ row }) => row)).to.deep.equal([1, 2, 3])
    expect(source.unit).to.equal('element')
  })

  it('reads a gzip file of several members, and whatever the size of the chunks', async () => {
    const members = Buffer.concat([gzipSync('a,b\n1,2\n'), gzipSync('3,4\n')])
    expect(await read(members, 1)).to.deep.equal(two)
    expect(await read('\uFEFFa,b\r\n1,2\r\n3,4\r\n', 1)).to.deep.equal(two)
  })

  it('reads UTF-16 with a byte order mark or without, whatever the size of the chunks', async () => {
    const text = 'a,b\né€,😀\n'
    const rows = [[2, { a: 'é€', b: '😀' }]]
    const little = Buffer.from(text, 'utf16le')
    const big = Buffer.from(little).swap16()
    const marked = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
    for (const content of [little, big, Buffer.concat([marked[0]!, little]), Buffer.concat([marked[1]!, big])])
      for (const size of [1, 3, 65536]) expect((await read(content, size)).rows).to.deep.equal(rows)
    expect((await read(gzipSync(Buffer.concat([marked[1]!, big])))).rows).to.deep.equal(rows)
    expect(await faultOf(little.subarray(0, -1))).to.equal('encoding_invalid')
  })

  it('reads bytes that are no UTF-8 as Windows-1252 and says so, never as a sign for what cannot be read', async () => {
    const ascii = 'x'.repeat(70_000)
    const kinds: [Buffer, string, string[]][] = [
      [Buffer.from('a\n\u0080 M\u00fcller \u0099', 'latin1'), '€ Müller ™', ['encoding_windows_1252']],
      [Buffer.from(`a\n${ascii}\u00fc\u00c3\u00a9`, 'latin1'), `${ascii}üÃ©`, ['encoding_windows_1252']],
      [Buffer.from('a\nMünchen'), 'München', []],
      [
        Buffer.concat([Buffer.from('a\né '), Buffer.from([0xfc, 0x20, 0xe2, 0x82, 0xac, 0xe2])]),
        'é ü €â',
        ['encoding_mixed'],
      ],
      [Buffer.from('a\n\ufffd'), '\ufffd', []],
    ]
    for (const [content, cell, warned] of kinds)
      for (const size of [1, 7, 65536]) {
        const source = await openSource(bytes(content, size))
        const rows = await Array.fromAsync(source.rows)
        expect([rows.map(shown), source.warnings.map(({ code }) => code)]).to.deep.equal([[[2, { a: cell }]], warned])
      }
  })

  it('keeps quoted commas, newlines and quotes, and quotes inside a bare cell', async () => {
    const { rows } = await read('a,b\n"x,""y""\nz",15" disk\n')
    expect(rows).to.deep.equal([[2, { a: 'x,"y"\nz', b: '15" disk' }]])
  })

  it('reports a row with too few or too many cells and goes on', async () => {
    const { rows } = await read('a,b\n1\n1,2,3\n1,2\n')
    expect(rows).to.deep.equal([
      [2, 'row_ragged'],
      [3, 'row_ragged'],
      [4, { a: '1', b: '2' }],
    ])
  })

  it('refuses a row whose quote runs on over the rows behind it, and keeps cells of several lines', async () => {
    const swallowed =
      'a,b,c,d,e\n1,2,3,4,"x"\n2,2,3,4,"y\n3,2,3,4,"z"\n4,"s,3,4,v\n5,2,3,4,w\n6,2",3,4,5\n7,2,3,4,t\n8,"v,3,4,5\n9,"""w"","5",x\n'
    expect((await read(swallowed)).rows).to.deep.equal([
      [2, { a: '1', b: '2', c: '3', d: '4', e: 'x' }],
      [3, 'quote_unclosed'],
      [5, 'quote_unclosed'],
      [8, { a: '7', b: '2', c: '3', d: '4', e: 't' }],
      [9, 'quote_unclosed'],
    ])
    const e = '{\n"k": 1, "l": 2,\n"m": 3, "n": 4, "o": 5\n}'
    expect((await read(`a,b,c,d,e\n1,2,3,4,"${e.replaceAll('"', '""')}"\n`)).rows).to.deep.equal([
      [2, { a: '1', b: '2', c: '3', d: '4', e }],
    ])
  })

  it('says which columns stand twice', async () => {
    const { warnings } = await openSource(bytes('a,b, a,,\n1,2,3,,\n'))
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).to.deep.equal([
      'column_twice The header has a more than once: the first of them counts.',
    ])
  })

  it('keeps columns whose names repeat, run together or are empty, and names no object should have', async () => {
    const { header, rows } = await read('a,a,,pricing/Class pricing/Option,__proto__\n1,2,3,4,5\n')
    expect(header).to.deep.equal(['a', 'a #2', 'column 3', 'pricing/Class pricing/Option', '__proto__'])
    expect(Object.values((rows[0] as [number, object])[1])).to.deep.equal(['1', '2', '3', '4', '5'])
  })

  it('reads JSON lines, and one JSON array however it is laid out', async () => {
    const rows = [
      [1, { a: 1, b: { c: '}],{[' } }],
      [2, { a: 'é\n"' }],
    ]
    const objects = [{ a: 1, b: { c: '}],{[' } }, { a: 'é\n"' }]
    const spellings = [
      objects.map((o) => JSON.stringify(o)).join('\n'),
      JSON.stringify(objects),
      ` \n${JSON.stringify(objects, null, 2)}\n`,
    ]
    for (const content of spellings) {
      for (const size of [1, 65536]) expect((await read(content, size)).rows, content).to.deep.equal(rows)
    }
    expect((await read(gzipSync(`\uFEFF${spellings[0]}\r\n\r\n`))).rows).to.deep.equal(rows)
  })

  it('keeps the digits of JSON numbers that a binary float would lose, and others as numbers', async () => {
    const { rows } = await read('{"a":0.12345678901234567890,"b":1.5,"c":[12345678901234567]}')
    expect(rows).to.deep.equal([[1, { a: '0.12345678901234567890', b: 1.5, c: ['12345678901234567'] }]])
  })

  it('reports a JSON row that is no object and goes on', async () => {
    const { rows } = await read('{"a":1}\n{"a":\n[1]\n{"a":2}\n')
    expect(rows).to.deep.equal([
      [1, { a: 1 }],
      [2, 'json_invalid'],
      [3, 'json_invalid'],
      [4, { a: 2 }],
    ])
    expect((await read('[{"a":1}, 5, {"a":2}]')).rows).to.deep.equal([
      [1, { a: 1 }],
      [2, 'json_invalid'],
      [3, { a: 2 }],
    ])
  })

  it('gives an empty file no header and no rows', async () => {
    for (const content of ['', '\uFEFF', '\n', '[]'])
      expect(await read(content)).to.deep.equal({ header: [], rows: [] })
    expect(await read('a,b\n')).to.deep.equal({ header: ['a', 'b'], rows: [] })
  })

  it('says what is wrong with a file that cannot be read at all', async () => {
    const cut = gzipSync('a,b\n1,2\n').subarray(0, 20)
    const found = [
      await faultOf(cut),
      await faultOf('a,b\n1,"2\n'),
      await faultOf('[{"a":1}'),
      await faultOf('{\n  "a": 1\n}\n'),
    ]
    expect(found).to.deep.equal(['gzip_invalid', 'csv_invalid', 'json_invalid', 'json_invalid'])
    const error: unknown = await openSource('/nonexistent/file.csv').catch((thrown: unknown) => thrown)
    expect((error as Fault).code).to.equal('file_unreadable')
  })

  it('names a file for what it is when it is no text of rows, gzipped or not', async () => {
    const kinds: [string | Buffer, string][] = [
      ['PK\u0003\u0004........[Content_Types].xml', 'an Excel workbook'],
      ['PK\u0003\u0004........bill.csv', 'a zip archive within another file'],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'a legacy Excel workbook (.xls)'],
      ['%PDF-1.7\n', 'a PDF document'],
      [' \r\n<!DOCTYPE html><html>', 'an HTML page'],
      ['\uFEFF<html>', 'an HTML page'],
      ['<?xml version="1.0"?>', 'XML'],
      ['BZh91AY', 'bzip2'],
      ['Obj\u0001avro.schema', 'Avro'],
      [gzipSync('a,b'), 'gzip inside gzip'],
    ]
    for (const [content, name] of kinds) {
      const plainly = name === 'gzip inside gzip' ? [] : [content]
      for (const bytesOf of [...plainly, gzipSync(content)]) {
        const error = await openSource(bytes(bytesOf)).catch((thrown: unknown) => thrown as Fault)
        expect(error).to.include({
          code: 'file_format',
          message: `The file is ${name}. Supported: CSV, JSON and Parquet, plain, gzipped or zipped.`,
        })
      }
    }
  })

  it('gives up on a record without end instead of holding it', async () => {
    const endless = `a,b\n"${'x'.repeat(5_000_000)}`
    expect(await faultOf(endless)).to.equal('csv_invalid')
    expect(await faultOf(`{"a":1}\n{"a":"${'x'.repeat(5_000_000)}`)).to.equal('json_invalid')
  })

  it('lets go of the file when its reader stops early', async () => {
    const stream = bytes('a,b\n1,2\n3,4\n')
    const source = await openSource(stream)
    for await (const found of source.rows) if (found.row === 2) break
    expect(stream.destroyed).to.equal(true)
  })
})
