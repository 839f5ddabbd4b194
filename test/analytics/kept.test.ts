import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { AnswerCache, type AnswerRows } from '#analytics/store/answer-cache.ts'
import { tablesRead } from '#analytics/store/tables-read.ts'
import { countedProjections, queries, writers } from '#analytics/index.ts'
import type { Editions } from '#engine/actor/ports.ts'

describe('answers that are kept', () => {
  const told: string[] = []
  let asked = 0
  let kept: AnswerCache
  const of = (numbers: Record<string, string>, turning: string[] = []): Editions => ({
    numbers: new Map(Object.entries(numbers)),
    turning: new Set(turning),
  })
  const query = (text: string, name = 'costs') => ({ name, textFor: () => text })
  const days = query('SELECT sum(lines) FROM cost_daily_slot WHERE edition IN (SELECT edition FROM cost_day FINAL)')
  const teams = query('SELECT team_id FROM team_assignments(org = {org:String})')
  const answer = (n = 1): (() => Promise<AnswerRows>) => {
    return () => {
      asked++
      return Promise.resolve([{ n, of: ['a'] }])
    }
  }
  beforeEach(() => {
    told.length = 0
    asked = 0
    kept = new AnswerCache({ bytesMax: 100_000, writers, told: (outcome) => told.push(outcome) })
  })

  it('stand while nothing they are of was written, whatever else was', async () => {
    const org = { org: 'o1' }
    await kept.answer(days, org, of({ 'cost-day': '4', metric_sample: '1' }), answer(1))
    const again = await kept.answer(days, org, of({ 'cost-day': '4', metric_sample: '9', team_state: '2' }), answer(2))
    expect(again).to.deep.equal([{ n: 1, of: ['a'] }])
    const turned = await kept.answer(days, org, of({ 'cost-day': '5', metric_sample: '9' }), answer(3))
    expect(turned).to.deep.equal([{ n: 3, of: ['a'] }])
    const types = await kept.answer(days, org, of({ 'cost-day': '5', 'cost-type': '1' }), answer(4))
    expect(types).to.deep.equal([{ n: 4, of: ['a'] }])
    expect(told).to.deep.equal(['asked', 'kept', 'asked', 'asked'])
  })

  it('are of one question, its values and its organization', async () => {
    const editions = of({ team_assignment: '1' })
    for (const [q, params] of [
      [teams, { org: 'o1', teams: ['a'] }],
      [teams, { org: 'o1', teams: ['b'] }],
      [teams, { org: 'o2', teams: ['a'] }],
      [teams, { org: 'o1', teams: ['a'], shares: [['b', 7n]] }],
      [teams, { org: 'o1', teams: ['a'], shares: [['b', 8n]] }],
      [teams, { org: 'o1', teams: ['a'], shares: new Map([['b', 7n]]) }],
      [teams, { org: 'o1', teams: ['a'], shares: new Map([['b', 8n]]) }],
      [query('SELECT team_id FROM team_assignments()', 'others'), { org: 'o1', teams: ['a'] }],
    ] as const)
      await kept.answer(q, params, editions, answer())
    // A map of the same pairs is the same question.
    expect(told).to.deep.equal([...Array<string>(5).fill('asked'), 'kept', 'kept', 'asked'])
    await kept.answer(teams, { org: 'o1', teams: ['b'] }, editions, answer())
    expect([told.at(-1), asked]).to.deep.equal(['kept', 6])
  })

  it('are none while a projection of theirs may turn over, and none of what nobody counts', async () => {
    const org = { org: 'o1' }
    for (let n = 0; n < 2; n++) await kept.answer(days, org, of({}, ['cost-day']), answer())
    for (let n = 0; n < 2; n++) await kept.answer(query('SELECT 1 FROM security_event'), org, of({}), answer())
    for (let n = 0; n < 2; n++) await kept.answer(query('SELECT 1'), org, of({}), answer())
    await kept.answer(teams, org, of({}, ['cost-day']), answer())
    expect([told, asked]).to.deep.equal([[...Array<string>(6).fill('passed'), 'asked'], 7])
  })

  it('are shared with whoever asks the same of the same meanwhile, and failures are kept by nobody', async () => {
    const waiting = Promise.withResolvers<AnswerRows>()
    const once = () => {
      asked++
      return waiting.promise
    }
    const ask = (number: string) => kept.answer(teams, { org: 'o1' }, of({ team_state: number }), once)
    const all = [ask('1'), ask('1'), ask('2')]
    waiting.resolve([{ n: 7 }])
    expect(await Promise.all(all)).to.deep.equal([[{ n: 7 }], [{ n: 7 }], [{ n: 7 }]])
    expect([told, asked]).to.deep.equal([['asked', 'shared', 'asked'], 2])
    const fails = () => Promise.reject(new Error('the store is away'))
    const failed = await kept.answer(days, { org: 'o1' }, of({}), fails).catch((error: Error) => error.message)
    expect(failed).to.equal('the store is away')
    expect(await kept.answer(days, { org: 'o1' }, of({}), answer(5))).to.deep.equal([{ n: 5, of: ['a'] }])
  })

  it('stay within their bytes, and no one of them takes more than an eighth', async () => {
    const text = 'x'.repeat(3000)
    const large = () => Promise.resolve([{ text }])
    for (let n = 0; n < 100; n++) await kept.answer(teams, { org: 'o1', n }, of({}), large)
    expect(kept.bytes).to.be.within(90_000, 100_000)
    const before = kept.bytes
    expect(told.at(-1)).to.equal('asked')
    await kept.answer(teams, { org: 'o1', n: 'all' }, of({}), () => Promise.resolve([{ text: 'x'.repeat(13_000) }]))
    expect(kept.bytes).to.equal(before)
    await kept.answer(teams, { org: 'o1', n: 99 }, of({}), answer())
    await kept.answer(teams, { org: 'o1', n: 0 }, of({}), answer())
    expect(told.slice(-2)).to.deep.equal(['kept', 'asked'])
    kept.clear()
    await kept.answer(teams, { org: 'o1', n: 99 }, of({}), answer())
    expect(told.at(-1)).to.equal('asked')
  })

  it('can be changed by nobody who is given them', async () => {
    await kept.answer(teams, { org: 'o1' }, of({}), answer())
    const rows = (await kept.answer(teams, { org: 'o1' }, of({}), answer())) as { n: number; of: string[] }[]
    expect(() => rows.push({ n: 2, of: [] })).to.throw(TypeError)
    expect(() => (rows[0]!.n = 2)).to.throw(TypeError)
    expect(() => rows[0]!.of.push('b')).to.throw(TypeError)
  })
})

describe('what answers are of', () => {
  const folder = new URL('../../analytics/tables/', import.meta.url)
  const created = readdirSync(folder).flatMap((name) => {
    const found = /^CREATE TABLE IF NOT EXISTS (\w+)/m.exec(readFileSync(new URL(name, folder), 'utf8'))
    return found ? [found[1]!] : []
  })

  it('is found through views of views', () => {
    expect([...tablesRead('SELECT * FROM tagged_resources(org = 1)')].toSorted()).to.deep.equal([
      'accepted_tag',
      'billed_tag',
      'resource_state',
    ])
    expect([...tablesRead('SELECT 1 FROM cost_days_of_nobody')]).to.deep.equal([])
  })

  it('is every table but that of people, who may be forgotten, and that of the installation', () => {
    expect(created.filter((name) => !writers.has(name)).toSorted()).to.deep.equal(['installation', 'security_event'])
    expect([...writers.keys()].filter((name) => !created.includes(name))).to.deep.equal([])
  })

  it('is counted for every question but those of people', () => {
    const counted = new Set([...writers.keys(), ...countedProjections])
    const passed = queries.filter(({ sql }) => {
      const sources = [...tablesRead(sql)]
      return sources.length === 0 || sources.some((name) => !counted.has(name))
    })
    expect(passed.map(({ name }) => name)).to.deep.equal([])
  })
})
