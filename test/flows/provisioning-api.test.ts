/** Provisioning as people use it: through the API alone, to the simulated cloud and back (S-29). */
import { expect } from 'chai'
import { configExample } from '#http/catalog/example.ts'
import type { ProvisioningKind } from '#streams/cloud/provision.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { stepping } from '#test/harness/stepping.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('provisioning through the API', () => {
  let f: Fleet
  let spaceID: string
  /** All that was answered, for what must not be in it. */
  let answers: string
  before(async () => {
    f = await fleet()
    answers = ''
    const place = { name: 'Production', cloudAccountID: f.accountId, region: 'us-east-1' }
    spaceID = (await f.send('POST', '/spaces', place)).body.data.id
  })
  after(async () => {
    await f.end()
    await resetClock()
  })
  const send = async (method: string, path: string, body?: object) => {
    const answer = await f.send<any>(method, path, body)
    answers += JSON.stringify(answer.body ?? '')
    return answer
  }
  const get = async (path: string) => (await send('GET', path)).body.data
  const begin = async (kind: ProvisioningKind, fields: object = {}) => {
    const body = { spaceID, kind, config: { ...configExample(kind), ...fields } }
    const answer = await send('POST', '/provisioning-jobs', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
    return answer.body.data.id as string
  }
  /** What is shown of a job once it has come to one of the phases; the clock runs meanwhile. */
  const become = async (id: string, ...phases: string[]): Promise<any> => {
    const step = stepping(f)
    let shown: any
    await until(`${phases.join(' or ')} of job ${id}`, async () => {
      shown = await get(`/provisioning-jobs/${id}`)
      if (phases.includes(shown.phase)) return true
      await step()
      return false
    })
    return shown
  }
  const taken = async (id: string) => {
    const answer = await send('DELETE', `/provisioning-jobs/${id}`)
    expect([answer.status, answer.body.data.phase]).to.deep.equal([202, 'deleting'])
    return (await become(id, 'deleted', 'delete_failed')).phase
  }

  deepIt(
    'makes a cluster through a quota that is mended, installs into it, and takes both away [S-29] [PROV-01] [PROV-06] [PROV-07] [PROV-20] [PROV-27] [PROV-31]',
    async () => {
      await f.fail([{ call: 'provision.node_groups', error: 'quota_exceeded' }])
      const id = await begin('kubernetes')
      const failed = await become(id, 'failed', 'ready')
      expect([failed.phase, failed.error.bucket, failed.error.retryable, failed.error.stepName]).to.deep.equal([
        'failed',
        'user_action',
        false,
        'node_groups',
      ])
      expect(failed.error).to.include.keys('fixHint', 'consoleUrl')
      const named = (await send('PATCH', `/provisioning-jobs/${id}`, { name: 'Shop' })).body.data
      expect([named.name, named.phase, named.steps]).to.deep.equal(['Shop', 'failed', failed.steps])
      expect((await send('POST', `/provisioning-jobs/${id}/retry`)).status).to.equal(202)
      const ready = await become(id, 'ready', 'failed')
      expect(ready.steps.map(({ status, attempts }: any) => `${status} ${attempts}`)).to.deep.equal([
        ...Array.from({ length: 4 }, () => 'succeeded 1'),
        'succeeded 2',
        ...Array.from({ length: 3 }, () => 'succeeded 1'),
      ])
      const clusters = async () => (await get('/spaces')).items.filter(({ kind }: any) => kind === 'cluster')
      await until('the space of the cluster', async () => (await clusters()).length === 1)
      const [cluster] = await clusters()
      const values = { resolutionSeconds: 30 }
      const asked = { spaceID: cluster.id, componentID: 'metrics-server', values }
      const installed = await send('POST', '/provisioning-jobs/install-component', asked)
      const component = await become(installed.body.data.id, 'ready', 'failed')
      expect([component.phase, component.kind]).to.deep.equal(['ready', 'component'])
      expect(await get(`/provisioning-jobs/${id}/drift`)).to.deep.equal({ jobID: id, exists: true, drift: [] })
      const inUse = await send('DELETE', `/spaces/${spaceID}`)
      expect([inUse.status, inUse.body.code]).to.deep.equal([409, 'space_in_use'])
      expect(await taken(component.id)).to.equal('deleted')
      expect(await taken(id)).to.equal('deleted')
      const again = await send('DELETE', `/provisioning-jobs/${id}`)
      expect([again.status, again.body.code]).to.deep.equal([409, 'invalid_transition'])
    },
  )

  deepIt('makes each kind of thing as it is asked for, and finds it so [PROV-21] [PROV-26]', async () => {
    const kinds = ['vm_pool', 'network', 'registry', 'load_balancer'] as const
    const ids = await Promise.all(kinds.map((kind) => begin(kind)))
    for (const id of ids) {
      const job = await become(id, 'ready', 'failed')
      expect(job.phase, JSON.stringify(job.error)).to.equal('ready')
      expect(await get(`/provisioning-jobs/${id}/drift`)).to.deep.equal({ jobID: id, exists: true, drift: [] })
    }
    for (const id of ids) expect(await taken(id)).to.equal('deleted')
  })

  it('gives a team a database, and tells nobody a secret [S-29] [PROV-08] [PROV-10] [PROV-11] [PROV-12] [PROV-15] [PROV-16] [PROV-29]', async () => {
    const id = await begin('datastore')
    const path = `/provisioning-jobs/${id}`
    const early = await send('POST', `${path}/databases`, { name: 'shop', owner: 'shop_app' })
    expect([early.status, early.body.code]).to.deep.equal([409, 'job_not_ready'])
    await become(id, 'ready', 'failed')
    const made = await send('POST', `${path}/databases`, { name: 'shop', owner: 'shop_app' })
    expect(made.status).to.equal(201)
    const at = `${path}/databases/${made.body.data.id}`
    await until('the database', async () => (await get(at)).status === 'available')
    const { server, port, secretRef } = await get(at)
    expect([port, secretRef]).to.deep.equal([5432, `secret://${id}/shop_app`])
    const twice = await send('POST', `${path}/databases`, { name: 'shop', owner: 'other' })
    expect([twice.status, twice.body.code]).to.deep.equal([409, 'already_exists'])
    const own = (await send('POST', `${at}/connections`)).body.data
    expect([own.scope, own.host, own.user, own.secretRef]).to.deep.equal(['database', server, 'shop_app', secretRef])
    const whole = (await send('POST', `${path}/connections`, { name: 'Admins' })).body.data
    expect([whole.scope, whole.host, whole.name]).to.deep.equal(['job', server, 'Admins'])
    expect((await send('DELETE', `${at}/connections/${own.id}`)).status).to.equal(204)
    expect((await get(at)).status).to.equal('available')
    expect((await send('DELETE', at)).status).to.equal(204)
    await until('it is gone', async () => (await f.get(at)).status === 404)
    await send('GET', path)
    await send('GET', '/security-events?limit=200')
    expect(await taken(id)).to.equal('deleted')
    expect(answers).to.match(/secret:\/\//)
    expect(answers).to.not.match(/sim-[0-9a-f]{32}|"s1\./)
  })

  it('leaves nothing behind: the space goes once nothing stands in it [G-25]', async () => {
    expect((await send('DELETE', `/spaces/${spaceID}`)).status).to.equal(204)
    expect((await send('GET', `/spaces/${spaceID}`)).status).to.equal(404)
  })
})
