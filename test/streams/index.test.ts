import { globSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Subject } from '#engine/actor/subject.ts'
import { ingestSubjects, subjects } from '#streams/index.ts'

const isSubject = (value: unknown): value is Subject =>
  typeof value === 'object' && value !== null && 'kind' in value && 'schema' in value && 'examples' in value

describe('the list of messages', () => {
  it('holds every message that is declared, once', async () => {
    const modules = await Promise.all(
      globSync('streams/**/*.ts').map((file) => import(path.resolve(file)) as Promise<Record<string, unknown>>),
    )
    const declared = modules.flatMap((module) => Object.values(module).filter(isSubject)).map(({ name }) => name)
    expect(subjects.map(({ name }) => name).toSorted()).to.deep.equal(declared.toSorted())
  })

  it('lets producers publish these, told to them in this order', () => {
    expect(ingestSubjects.map(({ name }) => name)).to.deep.equal([
      'resource.discovered',
      'resource.deleted',
      'metric.sample',
      'kubernetes.usage',
      'billing.line',
      'billing.day_closed',
      'billing.export_ended',
      'refresh.progress',
    ])
  })
})
