import { expect } from 'chai'
import { chipsOf, notDriven, plainQuery, queryOf, withWhere } from '../../http/console/web/filter.ts'
import {
  addCondition,
  conditionText,
  opsOf,
  parseWhere,
  removeCondition,
  whereText,
  type Condition,
  type Where,
} from '../../http/console/web/where.ts'

const not: Condition = { dim: 'region', op: 'is_not', values: ['a'] }
const has: Condition = { dim: 'service_name', op: 'contains', values: ['data'] }
const empty: Condition = { dim: 'tag:team', op: 'empty' }

describe('conditions of the address', () => {
  it('are written as the API takes them, and read again', () => {
    const each: readonly (readonly [where: Where, text: string | undefined])[] = [
      [[], undefined],
      [[[empty]], '{"dim":"tag:team","op":"empty"}'],
      [
        [[has, empty]],
        '{"any":[{"dim":"service_name","op":"contains","values":["data"]},{"dim":"tag:team","op":"empty"}]}',
      ],
      [[[not], [empty]], '{"all":[{"dim":"region","op":"is_not","values":["a"]},{"dim":"tag:team","op":"empty"}]}'],
    ]
    for (const [where, text] of each) {
      expect(whereText(where)).to.equal(text)
      if (text !== undefined) expect(parseWhere(text)).to.deep.equal(where)
    }
  })

  it('of other forms are kept as they are, and not edited', () => {
    const others = ['{', '[]', '{"dim":"region","op":"like"}', '{"any":[{"all":[{"dim":"region","op":"empty"}]}]}']
    for (const text of others) expect(parseWhere(text), text).to.equal(undefined)
  })

  it('must all hold; an alternative joins its group, and values of the same comparison are put together', () => {
    const one = addCondition([], not)
    expect(addCondition(one, { ...not, values: ['b'] })).to.deep.equal([[{ ...not, values: ['a', 'b'] }]])
    expect(addCondition(one, has)).to.deep.equal([[not], [has]])
    expect(addCondition([[not], [has]], empty, 1)).to.deep.equal([[not], [has, empty]])
    expect(addCondition([[has]], { ...has, values: ['base'] }, 0)).to.deep.equal([
      [{ ...has, values: ['data', 'base'] }],
    ])
    // "is not a, or is not b" is something else than "is not a, b".
    expect(addCondition(one, { ...not, values: ['b'] }, 0)).to.deep.equal([[not, { ...not, values: ['b'] }]])
  })

  it('are removed one by one, their group with the last of it', () => {
    expect(removeCondition([[not], [has, empty]], 1, 0)).to.deep.equal([[not], [empty]])
    expect(removeCondition([[not], [empty]], 0, 0)).to.deep.equal([[empty]])
  })

  it('are one filter among those of a report, which only some reports take', () => {
    const chips = withWhere(chipsOf(new URLSearchParams('filter[region]=a&where=x')), whereText([[empty]]))
    expect(queryOf(chips)).to.deep.equal({ 'filter[region]': ['a'], where: ['{"dim":"tag:team","op":"empty"}'] })
    expect([plainQuery(chips), notDriven(chips)?.name]).to.deep.equal([undefined, 'where'])
    expect(withWhere(chips, undefined)).to.deep.equal([{ name: 'filter[region]', value: 'a' }])
  })

  it('are read with the names of their values', () => {
    expect(conditionText(not, (value) => `zone ${value}`)).to.equal('Region is not zone a')
    expect(conditionText(empty)).to.equal('Tag team is empty')
  })

  it('do not search in IDs', () => {
    expect(opsOf('team_id')).to.deep.equal(['is', 'is_not', 'empty', 'not_empty'])
    expect(opsOf('tag')).to.deep.equal(['is'])
    expect(opsOf('region')).to.include('contains')
  })
})
