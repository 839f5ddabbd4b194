import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'

describe('the object store of the simulated cloud', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'simulated-objects-'))
  after(() => rm(folder, { recursive: true }))
  const cloud = simulatedCloud({ seed: '1', now: () => new Date('2026-01-15'), sleep: async () => {}, folder })
  const account = { id: 'a', orgId: 'o1', provider: 'aws', externalId: 'sim-aws-production', name: 'A' } as const
  const open = (bucket: string) => cloud.objects!({ ...account, regions: [], credentials: null }, { bucket })

  it('keeps objects as files of the organization, lists them by prefix, and removes them', async () => {
    const store = open('finops')
    const body = Buffer.from('PAR1')
    for (const key of ['a/b=1/x', 'a/b=2/y']) await store.put(key, { body, media: 'text/csv' })
    expect(await store.keys('a/b=1/')).to.deep.equal(['a/b=1/x'])
    const file = path.join(folder, 'simulated-objects', 'o1', 'aws', 'finops', 'a', 'b=1', 'x')
    expect(await readFile(file, 'utf8')).to.equal('PAR1')
    await store.remove('a/b=1/x')
    await store.remove('a/b=1/x')
    expect(await store.keys('a/')).to.deep.equal(['a/b=2/y'])
  })

  it('has no bucket whose name says that it is missing', async () => {
    const error = await open('missing-bucket')
      .keys('')
      .catch((caught: unknown) => caught)
    expect(error).to.be.instanceOf(Fault).and.include({ code: 'not_found' })
  })
})
