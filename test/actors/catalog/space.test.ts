import { expect } from 'chai'
import { spaceActor, type SpaceNeeds } from '#actors/catalog/space.ts'
import type { Static, TSchema } from '#engine/value/schema.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { spaceRegistered, spaceRemoved, spaceSaved, spaceUnregistered } from '#streams/catalog.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const spaceId = '5b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01'
const place = {
  spaceId,
  cloudAccountId: 'acct-1',
  provider: 'aws',
  region: 'us-east-1',
  kind: 'account_region' as const,
  clusterUid: null,
}
const made = { ...place, isNew: true as const, name: 'Production', userId: 'u-1' }
const cluster = { ...place, kind: 'cluster' as const, clusterUid: 'arn:shop', name: 'shop', jobId: 'job-1' }

/** A space, and what its turns find. */
class Space {
  readonly actor = new MemoryActor(spaceActor, { place: '-', key: spaceId })
  needs: SpaceNeeds = { isTaken: false, live: 0, deployments: 0 }

  take<S extends TSchema>(subject: Subject<S>, data: Static<S>) {
    return this.actor.take(subject, data, { needs: this.needs })
  }

  get row() {
    const { name, kind, clusterUid, status } = this.actor.state
    return { name, kind, clusterUid, status }
  }
}

describe('a space', () => {
  it('is made once of a place, whatever ids are drawn for it', () => {
    const space = new Space()
    expect(space.take(spaceSaved, made).replies).to.deep.equal([{ spaceId }])
    expect(space.row).to.deep.equal({ name: 'Production', kind: 'account_region', clusterUid: null, status: 'active' })
    expect(space.take(spaceSaved, { ...made, name: 'Other' }).refused).to.equal('already_exists')
    const other = new Space()
    other.needs = { isTaken: true, live: 0, deployments: 0 }
    expect(other.take(spaceSaved, made).refused).to.equal('already_exists')
    expect(space.row.name).to.equal('Production')
  })

  it('changes its name and whether it takes jobs, and is missing where nobody has made it', () => {
    const space = new Space()
    expect(space.take(spaceSaved, { spaceId, isNew: false, name: 'x', userId: 'u-1' }).refused).to.equal('not_found')
    space.take(spaceSaved, made)
    space.take(spaceSaved, { spaceId, isNew: false, status: 'disabled', userId: 'u-1' })
    space.take(spaceSaved, { spaceId, isNew: false, name: 'Live', userId: 'u-1' })
    expect(space.row).to.include({ name: 'Live', status: 'disabled' })
  })

  it('is not removed while jobs in it are not deleted, or deployments go into it', () => {
    const space = new Space()
    expect(space.take(spaceRemoved, { spaceId, userId: 'u-1' }).refused).to.equal('not_found')
    space.take(spaceSaved, made)
    space.needs = { isTaken: false, live: 1, deployments: 0 }
    expect(space.take(spaceRemoved, { spaceId, userId: 'u-1' }).refused).to.equal('space_in_use')
    space.needs = { isTaken: false, live: 0, deployments: 1 }
    expect(space.take(spaceRemoved, { spaceId, userId: 'u-1' }).refused).to.equal('space_in_use')
    expect(space.row.name).to.equal('Production')
    space.needs = { isTaken: false, live: 0, deployments: 0 }
    const done = space.take(spaceRemoved, { spaceId, userId: 'u-1' })
    expect([done.removed, done.replies]).to.deep.equal([true, [{ spaceId }]])
  })

  it('of a cluster is there once the cluster is made, and stays as people have made it [PROV-27]', () => {
    const space = new Space()
    space.take(spaceRegistered, cluster)
    expect(space.row).to.deep.equal({ name: 'shop', kind: 'cluster', clusterUid: 'arn:shop', status: 'active' })
    space.take(spaceSaved, { spaceId, isNew: false, name: 'Shop of the team', userId: 'u-1' })
    space.take(spaceRegistered, { ...cluster, name: 'shop again' })
    expect(space.row.name).to.equal('Shop of the team')
    const other = new Space()
    other.needs = { isTaken: true, live: 0, deployments: 0 }
    expect(other.take(spaceRegistered, cluster).removed).to.equal(true)
  })

  it('of a cluster goes with it; while it is going, and while something live is in it, it is disabled', () => {
    const space = new Space()
    space.take(spaceRegistered, cluster)
    space.take(spaceUnregistered, { spaceId, jobId: 'job-1', isGoing: true })
    expect(space.row).to.include({ name: 'shop', status: 'disabled' })
    for (const needs of [
      { isTaken: false, live: 2, deployments: 0 },
      { isTaken: false, live: 0, deployments: 1 },
    ]) {
      space.needs = needs
      space.take(spaceSaved, { spaceId, isNew: false, status: 'active', userId: 'u-1' })
      space.take(spaceUnregistered, { spaceId, jobId: 'job-1' })
      expect(space.row.status).to.equal('disabled')
    }
    space.needs = { isTaken: false, live: 0, deployments: 0 }
    expect(space.take(spaceUnregistered, { spaceId, jobId: 'job-1' }).removed).to.equal(true)
  })
})
