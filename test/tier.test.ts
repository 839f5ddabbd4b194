/** What `npm test` may not lose to the deep tier: a test for each promise, and one that names each requirement. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'

interface Choice {
  testFiles(root: string): string[]
  isDeepOnly(root: string, file: string): boolean
}
const choice = (await import(path.join(root, 'config', 'test-files.mjs'))) as Choice
const files = choice.testFiles(root)
const deepOnly = new Set(files.filter((file) => choice.isDeepOnly(root, file)))
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
/** The files that a name stands for: one, or all of a folder. */
const filesOf = (name: string) => files.filter((file) => file === name || file.startsWith(`${name}/`))

/** Requirements and decisions as titles name them: `[COST-12]`, `[COST-12, G-09]`, and `'COST-12'` where a title is put together. RC is for rules. */
const named = (text: string): string[] =>
  [...text.matchAll(/[[']((?:[A-Z]+-\d+)(?:[, ]+[A-Z]+-\d+)*)[\]']/g)].flatMap(([, ids]) =>
    ids!.split(/[, ]+/).filter((id) => !id.startsWith('RC-')),
  )

/** A file without what only the deep tier runs of it. */
function inTest(file: string): string {
  if (deepOnly.has(file)) return ''
  // A suite or test ends at the closing brace of its own column, as the formatter leaves it.
  return read(file).replaceAll(/^( *)(?:deepIt|deepDescribe|deepConsole)\([^]*?^\1}?\)[^\n]*$/gm, '')
}

describe('npm test', () => {
  it('names each requirement that the deep tier names', () => {
    const shown = new Set(files.flatMap((file) => named(inTest(file))))
    const all = new Set(files.flatMap((file) => named(read(file))))
    expect([...all].filter((id) => !shown.has(id))).to.deep.equal([])
  })

  it('names requirements that docs/requirements.md explains, each once', () => {
    const explained = [...read('docs/requirements.md').matchAll(/^\| ([A-Z0-9]+-\d+) \|/gm)].map(([, id]) => id!)
    expect(explained.filter((id, at) => explained.indexOf(id) !== at)).to.deep.equal([])
    // Others in quotes or brackets are no requirements: names of lanes, curves and licences.
    const areas = new Set(explained.map((id) => id.split('-')[0]!))
    const ids = new Set(files.flatMap((file) => named(read(file))).filter((id) => areas.has(id.split('-')[0]!)))
    expect(ids.size).to.be.above(600)
    expect([...ids].filter((id) => !explained.includes(id))).to.deep.equal([])
  })

  const rows = [...read('docs/promises.md').matchAll(/^\| (?!promise \||---)(.+?) \| (.*?) \| (.*?) \| (.*?) \|$/gm)]
  const list = (cell: string) => [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, name]) => name!)

  it('has a test for each promise, or a benchmark where the promise is a speed', () => {
    expect(rows).to.have.length.above(70)
    const bare = rows.filter(([, , tests, , more]) => list(tests!).length === 0 && !more!.includes('bench --'))
    expect(bare.map(([, promise]) => promise)).to.deep.equal([])
  })

  it('runs the tests that the table of promises lists for it, and the deep tier the others', () => {
    const wrong = rows.flatMap(([, promise, tests, deep]) =>
      [
        ...list(tests!).filter((name) => filesOf(name).every((file) => deepOnly.has(file))),
        ...list(deep!).filter((name) => filesOf(name).length === 0),
      ].map((name) => `${promise}: ${name}`),
    )
    expect(wrong).to.deep.equal([])
  })
})
