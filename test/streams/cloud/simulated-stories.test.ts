import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { stories } from '#streams/cloud/simulated/world/stories/stories.ts'

/** The first digit of a rule's number is its cloud, the second its category. */
const clouds: Readonly<Record<string, string>> = { 1: 'aws', 2: 'gcp', 3: 'azure' }
const categories = ['idle', 'rightsizing', 'schedule', 'orphan', 'compliance', 'discount', 'governance']

describe('simulated cloud: stories', () => {
  it('are at least twenty that a recommendation tells of, of every cloud and every category', () => {
    const told = stories.filter(({ rules }) => rules.length > 0)
    expect(told.length).to.be.at.least(20)
    const rules = told.flatMap((story) => story.rules)
    expect(new Set(rules.map((id) => clouds[id[3]!]))).to.eql(new Set(['aws', 'gcp', 'azure']))
    expect(new Set(rules.map((id) => categories[Number(id[4])]))).to.eql(new Set(categories))
  })

  it('each have an id of their own and rules of their own cloud, which they name to whoever looks for them', () => {
    expect(new Set(stories.map(({ id }) => id)).size).to.equal(stories.length)
    for (const { id, account, rules, find } of stories) {
      expect(
        rules.filter((rule) => !account.startsWith(`sim-${clouds[rule[3]!]}-`)),
        id,
      ).to.eql([])
      expect(
        rules.filter((rule) => !find.includes(rule)),
        id,
      ).to.eql([])
    }
  })

  it('stand in their page, each with its rules', () => {
    const page = readFileSync(new URL('../../../docs/simulated-cloud.md', import.meta.url), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const listed = rows.map((row) => row.split('|').map((cell) => cell.trim()))
    expect(new Map(listed.map(([, id, rules]) => [id!.slice(1, -1), rules]))).to.eql(
      new Map(stories.map(({ id, rules }) => [id, rules.join(', ')])),
    )
  })
})
