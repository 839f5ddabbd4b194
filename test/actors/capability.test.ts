import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { migrationsOf, type Capability } from '#actors/capability.ts'
import { capabilities } from '#actors/index.ts'
import { worksOf } from '#actors/works.ts'
import { jobNames } from '#streams/job.ts'
import { testFolder } from '#test/harness/stores.ts'

const work = (name: string) => ({
  name,
  pool: 'job' as const,
  retry: { tries: 1, pausesMs: [1] },
  run: async () => {},
  failed: async () => {},
})
const jobs = Object.fromEntries(jobNames.map((name) => [name, () => async () => {}]))

describe('the capabilities', () => {
  it('are each called by the name of their folder, and each only once', () => {
    const folders = globSync('actors/*/index.ts').map((file) => file.split(path.sep)[1]!)
    expect(capabilities.map(({ word }) => word).toSorted()).to.deep.equal(folders.toSorted())
  })

  it('bring their calls and shapes in the order in which they are listed, the jobs behind them', () => {
    const listed: Capability[] = [
      { word: 'one', effects: [() => work('call-b'), () => work('call-a')], jobs },
      { word: 'two', effects: [() => work('call-c')], projections: () => [{ name: 'shape', run: async () => true }] },
      { word: 'three' },
    ]
    const { effects, projections } = worksOf(listed, {} as never)
    expect(effects.map(({ name }) => name)).to.deep.equal(['call-b', 'call-a', 'call-c', 'run-job'])
    expect(projections.map(({ name }) => name)).to.deep.equal(['shape'])
  })

  it('stop the start when a job is done by none of them, or by two', () => {
    const { retention: _, ...others } = jobs
    expect(() => worksOf([{ word: 'one', jobs: others }], {} as never)).to.throw(
      'The job retention must be implemented by exactly one capability',
    )
    expect(() =>
      worksOf(
        [
          { word: 'one', jobs },
          { word: 'two', jobs },
        ],
        {} as never,
      ),
    ).to.throw('must be implemented by exactly one capability')
  })

  it('may have a part each in what is dropped after a while, in the order in which they are listed', async () => {
    const done: string[] = []
    const part = (name: string) => ({ word: name, jobs: { retention: () => async () => void done.push(name) } })
    const { retention: _, ...others } = jobs
    const { effects } = worksOf([{ word: 'one', jobs: others }, part('two'), part('three')], {
      publisher: { publish: async () => {} },
    } as never)
    const call = { key: 'k', orgId: 'o', attempt: 1, signal: new AbortController().signal }
    await effects.at(-1)!.run({ job: 'retention', runId: 'r' }, call)
    expect(done).to.deep.equal(['two', 'three'])
  })

  it('have migrations of their own, recorded under their word in the order of their names', () => {
    const folder = testFolder()
    for (const [word, file, sql] of [
      ['tagging', '002_more.sql', 'create table b ()'],
      ['tagging', '001_first.sql', 'create table a ()'],
      ['advice', '001_first.sql', 'create table c ()'],
      ['advice', 'notes.md', 'none'],
      ['quiet', '001_first.sql', 'create table d ()'],
    ] as const) {
      mkdirSync(path.join(folder, word, 'migrations'), { recursive: true })
      writeFileSync(path.join(folder, word, 'migrations', file), sql)
    }
    const listed = [{ word: 'tagging', migrates: true }, { word: 'advice', migrates: true }, { word: 'quiet' }]
    expect(migrationsOf(listed, pathToFileURL(`${folder}/`))).to.deep.equal([
      { name: 'tagging/001_first', sql: 'create table a ()' },
      { name: 'tagging/002_more', sql: 'create table b ()' },
      { name: 'advice/001_first', sql: 'create table c ()' },
    ])
  })
})
