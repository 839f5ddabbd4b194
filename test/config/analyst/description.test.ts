/** That analysts are told what each view, column and parameter is. The comments in ClickHouse: permission.test.ts. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { askedViews } from '#analytics/store/tenancy.ts'
import { plainColumns } from '#config/analyst/column.ts'
import {
  columnDescription,
  descriptions,
  parametersOf,
  viewComment,
  viewDescription,
} from '#config/analyst/description.ts'
import { analyticsReference } from '#config/analyst/reference.ts'
import { root } from '#config/process/root.ts'

const views = askedViews()
const columns = views.flatMap(({ name: view }) => plainColumns(view).map(({ name }) => ({ view, name })))

describe('descriptions for analysts', () => {
  it('are there for every view, column and parameter', () => {
    expect(columns.length).to.be.above(700)
    expect(views.filter(({ name }) => plainColumns(name).length === 0 || viewDescription(name) === '')).to.deep.equal(
      [],
    )
    expect(columns.filter(({ view, name }) => columnDescription(view, name) === '')).to.deep.equal([])
    const parameters = new Set(views.flatMap(({ select }) => parametersOf(select).map(([name]) => name)))
    expect(Object.keys(descriptions.parameters)).to.have.members([...parameters])
  })

  it('are all of something that there is', () => {
    const own = Object.entries(descriptions.views).flatMap(([view, { columns: more = {} }]) =>
      Object.keys(more).map((name) => `${view}.${name}`),
    )
    const known = new Set(columns.map(({ view, name }) => `${view}.${name}`))
    expect(own.filter((name) => !known.has(name))).to.deep.equal([])
    expect(Object.keys(descriptions.views)).to.have.members(views.map(({ name }) => name))
    const common = new Set(
      columns.filter(({ view, name }) => !descriptions.views[view]!.columns?.[name]).map(({ name }) => name),
    )
    expect(Object.keys(descriptions.columns).filter((name) => !common.has(name))).to.deep.equal([])
  })

  it('name parameters and columns of a view that ClickHouse lists no columns of', () => {
    const view = views.find(({ name }) => name === 'tagged_resources')!
    expect(viewComment(view)).to.equal(
      'Resources that have all of some tags. Parameters: org String, tag_keys Array(String), tag_values Array(String). Columns: cloud_account_id, resource_uid',
    )
  })

  it('are printed in docs/analytics-reference.md', () => {
    const text = readFileSync(path.join(root, 'docs/analytics-reference.md'), 'utf8')
    expect(text, 'npm run generate').to.equal(analyticsReference())
    expect(text).to.include("| `region` | String | Region, by the provider's name for it |")
    expect(text).to.match(/## resource_tags\n\nEffective tags .*\n\nParameters: `org` String\.\n\n/)
  })
})
