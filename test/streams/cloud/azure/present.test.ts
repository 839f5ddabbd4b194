import { expect } from 'chai'
import { measure } from '#streams/cloud/azure/measure/measure.ts'
import type { MetricSamples, ResourceRef } from '#streams/cloud/connector.ts'
import { account, answerServer, armError, fails, type Answer, type AnswerServer } from './answer-server.ts'
import { Inside } from './inside.ts'
import { idOf, root } from './world.ts'

const poolOf = (name: string): ResourceRef => ({
  resourceUid: idOf('Microsoft.DesktopVirtualization/hostPools', name).toLowerCase(),
  type: 'azure-avd-host-pool',
  region: 'westeurope',
})
const desk = poolOf('desk')
const warm: ResourceRef = { resourceUid: 'pool-1', type: 'azure-databricks-instance-pool', region: 'westeurope' }
const host = 'adb-1.1.azuredatabricks.net'
const databricks = {
  id: idOf('Microsoft.Databricks/workspaces', 'ws'),
  name: 'ws',
  location: 'westeurope',
  properties: { workspaceUrl: host },
}
const hosts = (...sessions: readonly unknown[]): Answer => ({
  body: { value: sessions.map((count, at) => ({ id: `host-${at}`, properties: { sessions: count } })) },
})

describe('metrics that Azure tells only as they are now', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  const serve = async (answers: Readonly<Record<string, Answer>>) => {
    const inside = new Inside(host)
    server = await answerServer((question) => {
      const { path } = question
      if (path === `${root}/providers/Microsoft.Databricks/workspaces`) return { body: { value: [databricks] } }
      const own = Object.entries(answers).find(([end]) => path.endsWith(end))
      return own ? own[1] : inside.answer(question)
    })
  }
  const read = (refs: readonly ResourceRef[], now = '10:05', step = 3600): Promise<MetricSamples[]> => {
    const at = (time: string) => new Date(`2026-03-16T${time}:00Z`)
    return Array.fromAsync(measure(server.options, account, refs, at('08:00'), at('10:00'), step, at(now).getTime()))
  }
  const ts = '2026-03-16T09:00:00.000Z'

  it('are the sessions of all hosts of a pool, and idle machines of pools in workspaces, of the last hour', async () => {
    await serve({ 'desk/sessionHosts': hosts(2, 0, 3) })
    expect(await read([desk, warm])).to.deep.equal([
      { resourceUid: desk.resourceUid, samples: [{ metric: 'sessions', value: 5, ts }] },
      { resourceUid: 'pool-1', samples: [{ metric: 'pool_idle', value: 2, ts }] },
    ])
  })

  it('are none of the past, and none in shorter steps: nothing is asked then', async () => {
    await serve({})
    expect(await read([desk, warm], '10:16')).to.deep.equal([])
    expect(await read([desk, warm], '10:05', 60)).to.deep.equal([])
    expect(server.asked).to.deep.equal([])
  })

  it('are unknown of a pool of which a host does not tell, or that may not be read, and hold up no other', async () => {
    await serve({
      'desk/sessionHosts': hosts(0, undefined),
      'shut/sessionHosts': armError(403, 'AuthorizationFailed'),
      'quiet/sessionHosts': hosts(0),
      '/instance-pools/list': { status: 403, body: { error_code: 'PERMISSION_DENIED' } },
    })
    const quiet = poolOf('quiet')
    expect(await read([warm, desk, poolOf('shut'), quiet])).to.deep.equal([
      { resourceUid: quiet.resourceUid, samples: [{ metric: 'sessions', value: 0, ts }] },
    ])
  })

  it('are told as a failure where Azure is out', async () => {
    await serve({ 'desk/sessionHosts': armError(503, 'ServiceUnavailable') })
    expect(await fails(read([desk, warm]))).to.equal('transient cloud_unavailable')
  })
})
