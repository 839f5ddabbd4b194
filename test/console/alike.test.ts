import { expect } from 'chai'
import { alike, coreOf, isOneEdit } from '#http/console/web/similar-names.ts'

describe('names that are alike', () => {
  it('are those of one core: case, separators and words that say what a name is of do not count', () => {
    expect(['data', 'Data', 'data-team', 'TEAM data', 'dataTeam', 'team_Data '].map(coreOf)).to.deep.equal(
      Array(6).fill('data'),
    )
    expect(['Environment', 'env', 'ENV'].map(coreOf)).to.deep.equal(['env', 'env', 'env'])
    expect(['Team', 'team'].map(coreOf)).to.deep.equal(['team', 'team'])
    expect(['cost-center', 'CostCenter', 'cost.center'].map(coreOf)).to.deep.equal(Array(3).fill('costcenter'))
  })

  it('are side by side, in the order in which the first of them came', () => {
    expect(alike(['finance', 'data', 'storefront', 'data-team', 'Data', 'finance-team'])).to.deep.equal([
      ['finance', 'finance-team'],
      ['data', 'data-team', 'Data'],
    ])
  })

  it('may differ by a letter where they are long enough, and by none where they hold numbers', () => {
    expect(alike(['platform', 'plaftorm', 'platfrm', 'shop'])).to.deep.equal([['platform', 'plaftorm', 'platfrm']])
    expect(alike(['dev', 'de', 'web-server-1', 'web-server-2', 'cc-1020', 'cc-1030'])).to.deep.equal([])
  })

  it('are none where each is there once', () => {
    expect(alike(['data', 'data', 'shop', '', '--'])).to.deep.equal([])
  })

  it('hold markup and writing from right to left as what they are', () => {
    expect(alike(['<script>', 'script', 'قسم', 'قسم '])).to.deep.equal([
      ['<script>', 'script'],
      ['قسم', 'قسم '],
    ])
  })

  it('are one edit apart by one letter more, less or other, or two exchanged', () => {
    const pairs = [
      ['abc', 'abc'],
      ['abc', 'abxc'],
      ['abc', 'ab'],
      ['abc', 'axc'],
      ['abc', 'acb'],
    ] as const
    expect(pairs.map(([a, b]) => isOneEdit(a, b))).to.deep.equal(Array(5).fill(true))
    expect([
      isOneEdit('abc', 'cba'),
      isOneEdit('abc', 'axx'),
      isOneEdit('abc', 'abcde'),
      isOneEdit('', 'ab'),
    ]).to.deep.equal(Array(4).fill(false))
  })
})
