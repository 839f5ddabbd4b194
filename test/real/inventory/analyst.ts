/** The inventory as an analyst reads it, by a token, at the analysts' own door. */
import { expect } from 'chai'
import { askAt, basic } from '#test/harness/door.ts'
import type { Tenant } from '#test/harness/product.ts'

/** One row of the view `resources`: what is not a text stands in `specs` as JSON. */
export interface AnalystRow {
  uid: string
  name: string
  type: string
  provider: string
  region: string
  status: string
  instanceType: string
  parentUID: string
  schedulable: number
  tags: Record<string, string>
  specs: Record<string, string>
  deletedAt: string | null
}

const question = `SELECT resource_uid AS uid, name, type, provider, region, status, instance_type AS instanceType,
  parent_uid AS parentUID, schedulable, tags, specs, deleted_at AS deletedAt FROM resources ORDER BY uid FORMAT JSONEachRow`

/** All rows that the organization has, those of resources that are gone included. */
export async function rowsOf(org: Tenant): Promise<AnalystRow[]> {
  const headers = basic(await org.tokenFor('viewer', 'analyst'))
  const answer = await askAt(org.analystsUrl, { body: question, headers })
  const text = await answer.text()
  expect(answer.status, text.slice(0, 500)).to.equal(200)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AnalystRow)
}

/** A value as `specs` of the view has it. */
export const inSpecs = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
