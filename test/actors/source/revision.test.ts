import { expect } from 'chai'
import { deploymentActor } from '#actors/source/deployment.ts'
import type { Deployment, Revision } from '#actors/source/entity.ts'
import type { EndNeeds, SourceNeeds } from '#actors/source/needs.ts'
import { deploymentKey } from '#actors/source/needs.ts'
import { revisionActor } from '#actors/source/revision.ts'
import {
  buildEnded,
  buildOrdered,
  deploymentRemoved,
  deploymentSaved,
  pullRequestReceived,
  revisionPushed,
} from '#streams/source/messages.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const deploymentId = 'd-1'
const at = (seconds: number) => Date.parse('2026-01-15T10:00:00Z') + seconds * 1000
const sha = '1'.repeat(40)
const push = (revisionId: string) => ({
  deploymentId,
  revisionId,
  deliveryId: `delivery of ${revisionId}`,
  commitSha: sha,
  ref: 'refs/heads/main',
  repositoryUrl: 'https://example.test/acme/shop.git',
})
const success = (revisionId: string, imageRef = 'shop:1') => ({
  deploymentId,
  revisionId,
  status: 'succeeded' as const,
  imageRef,
})
const failure = (revisionId: string) => ({
  deploymentId,
  revisionId,
  status: 'failed' as const,
  failureReason: 'tests failed',
})

const there: SourceNeeds = { deployments: new Set([deploymentKey('o1', deploymentId)]), end: undefined }
const nowhere: SourceNeeds = { deployments: new Set(), end: undefined }

/** A deployment and its revisions, told of the same as the lane tells them. */
class World {
  readonly deployment = new MemoryActor<Deployment>(deploymentActor as never, {
    place: deploymentId,
    key: deploymentId,
  })
  readonly revisions = new Map<string, MemoryActor<Revision>>()
  isRemoved = false

  constructor() {
    const terms = {
      name: 'Shop',
      spaceId: 's-1',
      repositoryUrl: 'https://example.test/acme/shop.git',
      repositoryKey: 'example.test/acme/shop',
      branch: 'main',
      autoDeploy: true,
    }
    this.deployment.take(deploymentSaved, { deploymentId, isNew: true, terms, userId: 'u-1' })
  }

  revision(id: string): MemoryActor<Revision> {
    const known = this.revisions.get(id)
    if (known) return known
    const made = new MemoryActor<Revision>(revisionActor as never, { place: deploymentId, key: id })
    this.revisions.set(id, made)
    return made
  }

  /** Told of at a second; pushed at another where the host says so. */
  push(id: string, seconds: number, pushedAt?: number, of: object = {}) {
    const told = pushedAt === undefined ? {} : { pushedAt: new Date(at(pushedAt)).toISOString() }
    return this.revision(id).take(revisionPushed, { ...push(id), ...told, ...of }, { at: at(seconds), needs: there })
  }

  /** Both take the message, and read what was committed before it. */
  end(said: ReturnType<typeof success> | ReturnType<typeof failure>, seconds: number) {
    const needs = { ...there, end: this.read(said.revisionId) }
    if (!this.isRemoved) this.deployment.take(buildEnded, said, { at: at(seconds), needs })
    return this.revision(said.revisionId).take(buildEnded, said, { at: at(seconds), needs })
  }

  private read(id: string): EndNeeds {
    const { state } = this.revision(id)
    const current = this.deployment.state.currentRevisionId
    const promoted = current ? this.revision(current).state : undefined
    const { branch, repositoryKey } = this.deployment.state
    const stand = {
      branch,
      repositoryKey,
      promoted: promoted && { id: promoted.id, createdAt: promoted.createdAt, pushedAt: promoted.pushedAt },
    }
    const build =
      state.commitSha === ''
        ? undefined
        : {
            id: state.id,
            createdAt: state.createdAt,
            pushedAt: state.pushedAt,
            ref: state.ref,
            repositoryUrl: state.repositoryUrl,
            status: state.status,
            imageRef: state.imageRef ?? null,
          }
    return { build, stand: this.isRemoved ? 'missing' : stand }
  }

  status = (id: string) => this.revision(id).state.status
  current = () => this.deployment.state.currentRevisionId
}

describe('a revision', () => {
  it('is made once of a push, and its build is ordered once under its id [HOOK-07] [HOOK-09]', () => {
    const world = new World()
    const first = world.push('r-1', 1)
    expect(first.replies).to.deep.equal([{ revisionId: 'r-1', isNew: true }])
    expect(first.calls).to.deep.equal([
      {
        name: 'order-build',
        key: 'build/o1/r-1',
        input: { deploymentId, revisionId: 'r-1', commitSha: sha, repositoryUrl: push('r-1').repositoryUrl },
      },
    ])
    const again = world.push('r-1', 2)
    expect([again.replies, again.calls]).to.deep.equal([[{ revisionId: 'r-1', isNew: false }], []])
    expect(world.revision('r-1').state).to.deep.include({ status: 'queued', createdAt: new Date(at(1)) })
  })

  it('is not made of a push to a deployment that there is not', () => {
    const revision = new MemoryActor<Revision>(revisionActor as never, { place: deploymentId, key: 'r-1' })
    const { refused, calls } = revision.take(revisionPushed, push('r-1'), { needs: nowhere })
    expect([refused, calls]).to.deep.equal(['not_found', []])
  })

  it('is building once its order is out; a builder may be done before that is heard [HOOK-19]', () => {
    const world = new World()
    const ordered = (id: string) => world.revision(id).take(buildOrdered, { deploymentId, revisionId: id })
    world.push('r-1', 1)
    ordered('r-1')
    expect(world.status('r-1')).to.equal('building')
    world.push('r-2', 2)
    world.end(success('r-2'), 3)
    ordered('r-2')
    expect(world.status('r-2')).to.equal('promoted')
  })

  it('is promoted by a success and keeps what was built; a failure keeps its reason [HOOK-19]', () => {
    const world = new World()
    world.push('r-1', 1)
    expect(world.end(success('r-1'), 5).replies).to.deep.equal([{ revisionId: 'r-1', status: 'promoted' }])
    expect(world.revision('r-1').state).to.deep.include({ imageRef: 'shop:1', completedAt: new Date(at(5)) })
    world.push('r-2', 6)
    expect(world.end(failure('r-2'), 7).replies).to.deep.equal([{ revisionId: 'r-2', status: 'failed' }])
    expect(world.revision('r-2').state).to.include({ failureReason: 'tests failed', imageRef: null })
    expect(world.current()).to.equal('r-1')
  })

  it('that has ended stays as it ended: the same result again is one, another is refused [S-23] [HOOK-19]', () => {
    const world = new World()
    world.push('r-1', 1)
    world.end(success('r-1'), 2)
    const before = structuredClone(world.revision('r-1').state)
    expect(world.end(success('r-1'), 3).replies).to.deep.equal([{ revisionId: 'r-1', status: 'promoted' }])
    expect(world.end(failure('r-1'), 4).refused).to.equal('revision_finished')
    expect(world.end(success('r-1', 'shop:2'), 5).refused).to.equal('revision_finished')
    expect(world.revision('r-1').state).to.deep.equal(before)
    expect(world.end(failure('r-9'), 6).refused).to.equal('not_found')
  })

  it('of an older push never takes the place of a newer one, in whatever order builds end [HOOK-19]', () => {
    const orders = [
      ['r-1', 'r-2', 'r-3'],
      ['r-1', 'r-3', 'r-2'],
      ['r-2', 'r-1', 'r-3'],
      ['r-2', 'r-3', 'r-1'],
      ['r-3', 'r-1', 'r-2'],
      ['r-3', 'r-2', 'r-1'],
    ]
    for (const order of orders) {
      const world = new World()
      for (const [n, id] of ['r-1', 'r-2', 'r-3'].entries()) world.push(id, n)
      const ends = order.map((id, n) => {
        world.end(success(id), 10 + n)
        return [world.current(), world.status(id)]
      })
      const newest = order.map((_, n) =>
        order
          .slice(0, n + 1)
          .toSorted()
          .at(-1)!,
      )
      const expected = order.map((id, n) => [newest[n], newest[n] === id ? 'promoted' : 'superseded'])
      expect(ends, order.join()).to.deep.equal(expected)
    }
  })

  it('of pushes that were told of out of order is newest by when it was pushed, and by when it was told of otherwise [HOOK-19]', () => {
    const told = (order: readonly (readonly [string, number, number?])[]) => {
      const world = new World()
      for (const [id, seconds, pushedAt] of order) world.push(id, seconds, pushedAt)
      for (const [id] of order) world.end(success(id), 100)
      return [world.current(), ...order.map(([id]) => `${id} ${world.status(id)}`)]
    }
    const late = [
      ['r-2', 1, -5],
      ['r-1', 2, -6],
    ] as const
    expect(told(late)).to.deep.equal(['r-2', 'r-2 promoted', 'r-1 superseded'])
    const ofOneSecond = [
      ['r-2', 1, -5],
      ['r-1', 2, -5],
    ] as const
    expect(told(ofOneSecond)).to.deep.equal(['r-1', 'r-2 promoted', 'r-1 promoted'])
    const partly = [
      ['r-2', 1],
      ['r-1', 2, -5],
    ] as const
    expect(told(partly)).to.deep.equal(['r-2', 'r-2 promoted', 'r-1 superseded'])
  })

  it('that says that it was pushed in an hour and later is as new as it was told of', () => {
    const world = new World()
    world.push('r-1', 0, 3601)
    world.push('r-2', 1, 3601)
    expect(world.revision('r-1').state.pushedAt).to.equal(null)
    expect(world.revision('r-2').state.pushedAt).to.deep.equal(new Date(at(3601)))
  })

  it('of a branch or repository that its deployment does not follow any more is promoted nowhere', () => {
    const other = 'git@example.test:acme/shop'
    for (const [terms, outcome] of [
      [{ branch: 'next' }, 'superseded'],
      [{ repositoryUrl: 'https://example.test/acme/web', repositoryKey: 'example.test/acme/web' }, 'superseded'],
      [{ repositoryUrl: other, repositoryKey: 'example.test/acme/shop', name: 'Shop 2' }, 'promoted'],
      [{ autoDeploy: false }, 'promoted'],
    ] as const) {
      const world = new World()
      world.push('r-1', 1)
      world.deployment.take(deploymentSaved, { deploymentId, isNew: false, terms, userId: 'u-1' })
      expect(world.end(success('r-1'), 5).replies).to.deep.equal([{ revisionId: 'r-1', status: outcome }])
      expect(world.current(), JSON.stringify(terms)).to.equal(outcome === 'promoted' ? 'r-1' : null)
    }
  })

  it('of whose build nothing is heard until its token has ended, and five minutes more, has failed [HOOK-16]', () => {
    const world = new World()
    world.push('r-1', 1)
    const revision = world.revision('r-1')
    expect([...revision.reminders]).to.deep.equal([])
    revision.take(buildOrdered, { deploymentId, revisionId: 'r-1' }, { at: at(10) })
    expect([...revision.reminders]).to.deep.equal([['overdue', at(10 + 35 * 60)]])
    const failureReason = 'The builder did not report a result.'
    const said = { deploymentId, revisionId: 'r-1', status: 'failed' as const, failureReason }
    const needs = { ...there, end: { build: undefined, stand: 'missing' as const } }
    revision.take(buildEnded, said, { at: at(10 + 35 * 60), needs, reminder: 'overdue' })
    expect(revision.state).to.include({ status: 'failed', failureReason })
  })

  it('is not reminded of a build that has ended', () => {
    const world = new World()
    world.push('r-1', 1)
    world.revision('r-1').take(buildOrdered, { deploymentId, revisionId: 'r-1' })
    world.end(success('r-1'), 5)
    expect([...world.revision('r-1').reminders]).to.deep.equal([])
  })

  it('of two pushes of one millisecond is the newer by its id', () => {
    const world = new World()
    for (const id of ['r-a', 'r-b']) world.push(id, 1)
    world.end(success('r-b'), 2)
    world.end(success('r-a'), 3)
    expect([world.status('r-a'), world.status('r-b'), world.current()]).to.deep.equal(['superseded', 'promoted', 'r-b'])
  })

  it('whose deployment was removed meanwhile is promoted nowhere', () => {
    const world = new World()
    world.push('r-1', 1)
    expect(world.deployment.take(deploymentRemoved, { deploymentId, userId: 'u-1' }).removed).to.equal(true)
    world.isRemoved = true
    expect(world.end(success('r-1'), 2).replies).to.deep.equal([{ revisionId: 'r-1', status: 'superseded' }])
  })
})

describe('a deployment', () => {
  const pull = {
    deploymentId,
    host: 'github' as const,
    deliveryId: 'p-1',
    fullName: 'acme/shop',
    headSha: sha,
    number: 7,
  }

  it('has a pull request looked at under the name of its delivery, and makes no revision [HOOK-10]', () => {
    const { calls, replies, emitted } = new World().deployment.take(pullRequestReceived, { ...pull, asking: 'a-1' })
    const input = { deploymentId, fullName: 'acme/shop', headSha: sha, showsCost: false }
    expect(calls).to.deep.equal([{ name: 'analyse-pull-request', key: 'pull-request/o1/github/p-1', input }])
    expect([replies, emitted]).to.deep.equal([[{ asking: 'a-1' }], []])
  })

  it('that there is not is refused, whatever is asked of it', () => {
    const none = () => new MemoryActor<Deployment>(deploymentActor as never, { place: 'd-2', key: 'd-2' })
    const of = { deploymentId: 'd-2' }
    expect([
      none().take(deploymentSaved, { ...of, isNew: false, terms: { name: 'x' }, userId: 'u-1' }).refused,
      none().take(deploymentRemoved, { ...of, userId: 'u-1' }).refused,
      none().take(pullRequestReceived, { ...pull, ...of, asking: 'a-1' }).refused,
    ]).to.deep.equal(['not_found', 'not_found', 'not_found'])
  })

  it('keeps what is not given when it is changed, and what is promoted', () => {
    const world = new World()
    world.push('r-1', 1)
    world.end(success('r-1'), 2)
    world.deployment.take(deploymentSaved, { deploymentId, isNew: false, terms: { autoDeploy: false }, userId: 'u-1' })
    expect(world.deployment.state).to.include({
      autoDeploy: false,
      branch: 'main',
      name: 'Shop',
      currentRevisionId: 'r-1',
    })
  })
})
