import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { Inputs } from '#config/command/ingest/inputs.ts'
import { readSettings } from '#config/settings/settings.ts'

const fixtures = new URL('../streams/billing/fixtures', import.meta.url).pathname

describe('files of a command', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidemark-inputs-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const put = (name: string, content: string | object, day = 1) => {
    const at = path.join(folder, name)
    mkdirSync(path.dirname(at), { recursive: true })
    writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content))
    utimesSync(at, new Date(Date.UTC(2026, 9, day)), new Date(Date.UTC(2026, 9, day)))
  }
  async function found(...given: string[]): Promise<[string[], string[][]]> {
    await using inputs = new Inputs()
    for (const one of given) await inputs.add(one, readSettings({}))
    const near = (name: string) => path.relative(folder, name)
    return [inputs.files.map(({ name }) => near(name)), inputs.warnings.map(({ code, file }) => [code, near(file)])]
  }

  it('are those of a folder in order, with entries of archives; others are named and left out', async () => {
    for (const name of ['b/2.csv', 'a.csv.gz', 'c.parquet', 'notes.md', 'workbook.xlsx']) put(name, 'x')
    cpSync(path.join(fixtures, 'bills.zip'), path.join(folder, 'z.zip'))
    const [files, warnings] = await found(folder)
    expect(files).to.deep.equal([
      'a.csv.gz',
      'b/2.csv',
      'c.parquet',
      'z.zip/3.json',
      'z.zip/4.parquet',
      'z.zip/5.csv',
      'z.zip/week/1.csv',
      'z.zip/week/2.csv.gz',
    ])
    expect(warnings).to.deep.equal([
      ['file_skipped', 'notes.md'],
      ['file_skipped', 'workbook.xlsx'],
      ['file_skipped', 'z.zip/README.txt'],
    ])
    expect(await found(path.join(folder, 'notes.md'))).to.deep.equal([['notes.md'], []])
  })

  it('are those that the newest manifest of a folder names, or none where one is missing', async () => {
    const key = (id: string, n: number) => `cur/daily/20261001-20261101/${id}/daily-${n}.csv.gz`
    const manifest = (...reportKeys: string[]) => ({
      reportName: 'daily',
      billingPeriod: { start: '20261001' },
      reportKeys,
    })
    put('20261001-20261101/old/daily-Manifest.json', manifest(key('old', 1)), 2)
    put('20261001-20261101/old/daily-1.csv.gz', 'x', 2)
    put('20261001-20261101/new/daily-Manifest.json', manifest(key('new', 1), key('new', 2)), 3)
    put('20261001-20261101/new/daily-1.csv.gz', 'x', 3)
    const missing: unknown = await found(folder).catch((error: unknown) => error)
    expect([(missing as Fault).code, (missing as Fault).message]).to.deep.equal([
      'export_incomplete',
      `${folder}: 20261001-20261101/new/daily-Manifest.json lists a missing file: ${key('new', 2)}.`,
    ])
    put('20261001-20261101/new/daily-2.csv.gz', 'x', 3)
    expect(await found(folder)).to.deep.equal([
      ['20261001-20261101/new/daily-1.csv.gz', '20261001-20261101/new/daily-2.csv.gz'],
      [['file_skipped', '20261001-20261101/old/daily-1.csv.gz']],
    ])
  })

  it('of a prefix need credentials of the environment, and a folder without any bill is refused', async () => {
    const said = async (given: string) => found(given).then(String, (error: Error) => error.message)
    expect(await said('gs://bills/october/')).to.equal(
      'Set GOOGLE_APPLICATION_CREDENTIALS to read gs://bills/october/.',
    )
    expect(await said('https://bills.blob.core.windows.net/exports/october')).to.match(/^Set AZURE_TENANT_ID, /)
    put('notes.md', 'x')
    expect(await said(folder)).to.equal(`${folder} contains no CSV, JSON or Parquet files.`)
  })
})
