import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import { page } from './page.ts'

const rules = allRules()

describe('docs/rules.md', () => {
  const text = readFileSync(new URL('../../../docs/rules.md', import.meta.url), 'utf8')

  it('is what the rules say', () => {
    const now = page().split('\n')
    const differ = text.split('\n').flatMap((line, n) => (line === now[n] ? [] : [`${n + 1}: ${line}`]))
    expect(differ.slice(0, 3), 'node test/actors/recommendation/page.ts > docs/rules.md').to.deep.equal([])
    expect(text.length).to.equal(page().length)
  })

  it('lists every rule once', () => {
    const listed = [...text.matchAll(/^\| (RC-[\w-]+) \|/gm)].map(([, id]) => id)
    expect(listed).to.have.members(rules.map(({ id }) => id))
    expect(listed).to.have.length(rules.length)
  })
})
