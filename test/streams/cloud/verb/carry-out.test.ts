import { expect } from 'chai'
import { carryOut } from '#streams/cloud/resource/verb/carry-out.ts'
import type { ResourceKind, ResourceState } from '#streams/cloud/resource/verb/kind.ts'
import { cloudFault, type CloudAction } from '#streams/cloud/connector.ts'

const at = { ref: { resourceUid: 'db-1', type: 'aws-rds', region: 'us-east-1' } }
const action = { kind: 'stop', actionId: 'a-1' } as unknown as CloudAction
const silent = cloudFault('transient', 'cloud_unavailable', 'no answer')
const refused = cloudFault('user_action', 'rejected', 'not now')

/** A database whose looks are these, one after the other; a fault is thrown. */
function database(looks: readonly (ResourceState | Error)[], stop: () => Promise<unknown>): ResourceKind<typeof at> {
  const left = [...looks]
  return {
    look: async () => {
      const next = left.shift()
      if (next instanceof Error) throw next
      return next!
    },
    stop,
  }
}

const running: ResourceState = { exists: true, status: 'running' }

describe('a change whose state cannot be read afterwards', () => {
  it('is under way if the cloud took it', async () => {
    const outcome = await carryOut(
      database([running, silent], async () => {}),
      at,
      action,
    )
    expect(outcome).to.deep.equal({ status: 'running' })
  })

  it('ends with what the cloud said of it if it may have been refused', async () => {
    const kind = database([running, silent], async () => {
      throw refused
    })
    const error = await carryOut(kind, at, action).catch((caught: unknown) => caught)
    expect(error).to.equal(refused)
  })
})
