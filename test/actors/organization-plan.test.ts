import { expect } from 'chai'
import fc from 'fast-check'
import { accountActor } from '#actors/account/actor.ts'
import type { CloudAccount } from '#actors/account/entity.ts'
import { isAllowed } from '#actors/account/organization/filter.ts'
import { planOrganization, type KnownAccount, type OrganizationPlan } from '#actors/account/organization/plan.ts'
import { accountPatched, accountConnected, accountRemoved } from '#streams/account/messages.ts'
import {
  accountListed,
  type AccountFilter,
  type Membership,
  type CloudOrganization,
} from '#streams/account/organization.ts'
import type { ListedAccount } from '#streams/cloud/connector.ts'
import { none } from '#test/harness/account.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const manager = (more: Partial<CloudOrganization> = {}) => ({
  id: 'payer',
  organization: more,
  roleName: more.roleName ?? 'tidemark',
})
const listed = (externalId: string, more: Partial<ListedAccount> = {}): ListedAccount => ({
  externalId,
  name: `Account ${externalId}`,
  path: '/Production',
  tags: {},
  isActive: true,
  ...more,
})
const member = (externalId: string, more: Partial<Membership> = {}): Membership => ({
  managedBy: 'payer',
  name: `Account ${externalId}`,
  path: '/Production',
  tags: {},
  status: 'active',
  isManaged: true,
  isDisabled: false,
  roleName: 'tidemark',
  ...more,
})
const known = (
  externalId: string,
  status: KnownAccount['status'],
  membership: Membership | null = null,
): KnownAccount => ({ id: `id-${externalId}`, externalId, status, membership })
const plan = (accounts: ListedAccount[], there: KnownAccount[], more: Partial<CloudOrganization> = {}, room = 100) =>
  planOrganization(manager(more), { managementId: '1', accounts }, there, room)
const actions = ({ actions: all }: OrganizationPlan) => all.map(({ externalId, action }) => `${action} ${externalId}`)
const reasons = ({ left }: OrganizationPlan) => left.map(({ externalId, reason }) => `${reason} ${externalId}`)

describe('which accounts of an organization are connected [G-116]', () => {
  const account = {
    externalId: '210987654321',
    name: 'Payments-Prod',
    path: '/Production/Payments',
    tags: { env: 'prod' },
  }
  const allows = (filters: Partial<CloudOrganization>) => isAllowed(account, { roleName: 'tidemark', ...filters })

  it('is all of them without a filter', () => expect(allows({})).to.equal(true))

  it('is what lies in a unit or below it, by whole names of units', () => {
    const answers = [
      '/Production',
      'Production/',
      '/Production/Payments',
      '/',
      '/Prod',
      '/Payments',
      '/production',
    ].map((path) => [path, allows({ include: { paths: [path] } })])
    expect(answers).to.deep.equal([
      ['/Production', true],
      ['Production/', true],
      ['/Production/Payments', true],
      ['/', true],
      ['/Prod', false],
      ['/Payments', false],
      ['/production', false],
    ])
  })

  it('is what has a tag, of any value or of one of some', () => {
    expect(allows({ include: { tags: { env: [] } } })).to.equal(true)
    expect(allows({ include: { tags: { env: ['dev', 'prod'] } } })).to.equal(true)
    expect(allows({ include: { tags: { env: ['dev'] } } })).to.equal(false)
    expect(allows({ include: { tags: { constructor: [] } } })).to.equal(false)
  })

  it('is what a pattern of its name or number fits, in any case, however many stars it has', () => {
    const fits = (pattern: string) => allows({ include: { pattern } })
    expect(['*-prod', 'payments*', '2109*', 'Payments?Prod', '*'].map(fits)).to.deep.equal([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(['*-dev', 'prod', 'Payments', '?'].map(fits)).to.deep.equal([false, false, false, false])
    expect(
      isAllowed({ ...account, name: 'a'.repeat(50) }, { roleName: 'x', include: { pattern: `${'*a'.repeat(120)}b` } }),
    ).to.equal(false)
  })

  it('needs all members of include, and is refused by one of exclude', () => {
    expect(allows({ include: { paths: ['/Production'], tags: { env: ['dev'] } } })).to.equal(false)
    expect(
      allows({ include: { paths: ['/Production'] }, exclude: { paths: ['/Sandbox'], pattern: '*-prod' } }),
    ).to.equal(false)
    expect(
      allows({ include: { paths: ['/Production'] }, exclude: { paths: ['/Sandbox'], pattern: '*-dev' } }),
    ).to.equal(true)
  })
})

describe('a look at an organization of accounts [G-116]', () => {
  it('connects new active accounts, and leaves the management account, suspended and excluded ones', () => {
    const found = plan(
      [listed('1'), listed('2'), listed('3', { isActive: false }), listed('4', { path: '/Sandbox' })],
      [],
      { exclude: { paths: ['/Sandbox'] } },
    )
    expect(found.actions).to.deep.equal([{ externalId: '2', action: 'connect', membership: member('2') }])
    expect(reasons(found)).to.deep.equal(['management 1', 'suspended 3', 'excluded 4'])
  })

  it('notes the membership of what people connected themselves, and nothing else, whatever becomes of it', () => {
    const own = member('2', { isManaged: false, roleName: '' })
    expect(plan([listed('2')], [known('2', 'connected')]).actions).to.deep.equal([
      { externalId: '2', id: 'id-2', action: 'note', membership: own },
    ])
    for (const there of [[listed('2', { isActive: false })], []])
      expect(actions(plan(there, [known('2', 'connected', own)]))).to.deep.equal(['note 2'])
  })

  it('disables what is suspended, excluded or gone, once, and enables what comes back', () => {
    const there = [
      known('2', 'connected', member('2')),
      known('3', 'connected', member('3')),
      known('4', 'degraded', member('4')),
    ]
    const gone = plan([listed('2', { isActive: false }), listed('3', { path: '/Sandbox' })], there, {
      exclude: { paths: ['/Sandbox'] },
    })
    expect(
      gone.actions.map(({ action, membership: { status, isDisabled } }) => [action, status, isDisabled]),
    ).to.deep.equal([
      ['disable', 'suspended', true],
      ['disable', 'active', true],
      ['disable', 'left', true],
    ])
    const disabled = [known('4', 'disabled', member('4', { status: 'left', isDisabled: true }))]
    expect(plan([], disabled)).to.deep.equal({ actions: [], left: [], unchanged: 0 })
    expect(actions(plan([listed('4')], disabled))).to.deep.equal(['enable 4'])
  })

  it('leaves what a person has disabled or disconnected', () => {
    const found = plan(
      [listed('2'), listed('3')],
      [known('2', 'disabled', member('2')), known('3', 'deleted', member('3'))],
    )
    expect([actions(found), reasons(found)]).to.deep.equal([[], ['disabled 2', 'disconnected 3']])
  })

  it('connects by the organization what a person connected and disconnected again', () => {
    const was = member('2', { isManaged: false, roleName: '' })
    expect(actions(plan([listed('2')], [known('2', 'deleted', was)]))).to.deep.equal(['connect 2'])
  })

  it('connects by another role where its name has changed, or the account came from another organization', () => {
    const there = [
      known('2', 'connected', member('2', { roleName: 'old' })),
      known('3', 'connected', member('3', { managedBy: 'other' })),
    ]
    expect(actions(plan([listed('2'), listed('3')], there))).to.deep.equal(['update 2', 'update 3'])
  })

  it('gives the new role to one that is disabled only once it is enabled', () => {
    const old = member('2', { roleName: 'old' })
    expect(actions(plan([listed('2')], [known('2', 'disabled', old)]))).to.deep.equal([])
    const back = plan([listed('2')], [known('2', 'disabled', { ...old, isDisabled: true })])
    expect(back.actions).to.deep.equal([{ externalId: '2', id: 'id-2', action: 'enable', membership: member('2') }])
  })

  it('leaves accounts of another organization that it does not list', () => {
    expect(plan([], [known('3', 'connected', member('3', { managedBy: 'other' }))]).actions).to.deep.equal([])
  })

  it('keeps tags that could not be read, and decides by them', () => {
    const { tags: _, ...untagged } = listed('2')
    const there = [known('2', 'connected', member('2', { tags: { env: 'dev' } }))]
    expect(actions(plan([untagged], there, { exclude: { tags: { env: ['dev'] } } }))).to.deep.equal(['disable 2'])
    expect(plan([untagged], there)).to.deep.equal({ actions: [], left: [], unchanged: 1 })
  })

  it('connects no more accounts than there is room for', () => {
    const found = plan([listed('2'), listed('3'), listed('4')], [], {}, 2)
    expect([actions(found), reasons(found)]).to.deep.equal([['connect 2', 'connect 3'], ['limit 4']])
  })
})

/** Accounts as their actors keep them, and what a person and the organization do with them. */
class World {
  readonly actors = new Map<string, MemoryActor<CloudAccount>>()

  at(externalId: string): MemoryActor<CloudAccount> {
    const id = `id-${externalId}`
    const known =
      this.actors.get(externalId) ?? new MemoryActor<CloudAccount>(accountActor as never, { place: id, key: id })
    this.actors.set(externalId, known)
    return known
  }
  known(): KnownAccount[] {
    return [...this.actors.values()].map(({ state }) => state).filter(({ createdAt }) => createdAt.getTime() !== 0)
  }
  carryOut({ actions: all }: OrganizationPlan): void {
    for (const { externalId, action, membership } of all) {
      const data = {
        id: `id-${externalId}`,
        provider: 'aws',
        externalId,
        action,
        credentials: null,
        regions: new Array<string>(),
        membership,
      } as const
      this.at(externalId).take(accountListed, data, { needs: none })
    }
  }
  person(externalId: string, what: 'connect' | 'disable' | 'enable' | 'remove'): void {
    const id = `id-${externalId}`
    const rest = {
      name: 'Mine',
      provider: 'aws',
      externalId,
      credentials: null,
      regions: new Array<string>(),
      billingExport: null,
    } as const
    const actor = this.at(externalId)
    if (what === 'connect') actor.take(accountConnected, { id, ...rest }, { needs: none })
    else if (what === 'remove') actor.take(accountRemoved, { id }, { needs: none })
    else actor.take(accountPatched, { id, enabled: what === 'enable' }, { needs: none })
  }
}

describe('the account that an organization is connected by [G-116]', () => {
  it('has it looked at again when its credentials change, for its members may share them', () => {
    const actor = new World().at('1')
    const rest = { name: 'Mine', provider: 'gcp', externalId: '1', credentials: 'old', billingExport: null } as const
    const looks = (done: { emitted: { type: string; data: any }[] }) =>
      done.emitted.filter(({ type, data }) => type === 'job.requested' && data.job === 'organization-sync').length
    actor.take(accountConnected, { id: 'id-1', ...rest, regions: [] }, { needs: none })
    expect(looks(actor.take(accountPatched, { id: 'id-1', credentials: 'new' }, { needs: none }))).to.equal(0)
    const organization = { parent: 'folders/1' }
    expect(looks(actor.take(accountPatched, { id: 'id-1', organization }, { needs: none }))).to.equal(1)
    expect(looks(actor.take(accountPatched, { id: 'id-1', credentials: 'newer' }, { needs: none }))).to.equal(1)
    expect(looks(actor.take(accountPatched, { id: 'id-1', name: 'Other' }, { needs: none }))).to.equal(0)
  })
})

describe('an organization that is looked at again and again [G-116]', () => {
  const numbers = ['1', '2', '3', '4', '5']
  const account = fc.record({
    externalId: fc.constantFrom(...numbers),
    path: fc.constantFrom('/', '/Production', '/Sandbox'),
    isActive: fc.boolean(),
    tags: fc.constantFrom({}, { env: 'dev' }),
    name: fc.constantFrom('One', 'Two'),
  })
  const look = fc.record({
    accounts: fc.uniqueArray(account, { selector: ({ externalId }) => externalId }),
    exclude: fc.constantFrom<AccountFilter | undefined>(undefined, { paths: ['/Sandbox'] }, { tags: { env: ['dev'] } }),
  })
  const step = fc.oneof(
    look.map((of) => ({ look: of })),
    fc
      .tuple(fc.constantFrom(...numbers), fc.constantFrom('connect', 'disable', 'enable', 'remove'))
      .map(([number, what]) => ({ number, what: what as 'connect' })),
  )

  it('has nothing left to do once a look was carried out, and never touches what people connected, whatever they do between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const world = new World()
        for (const one of steps) {
          if ('what' in one) {
            world.person(one.number, one.what)
            continue
          }
          const { accounts, exclude } = one.look
          const again = () => plan(accounts, world.known(), exclude && { exclude })
          const mine = () =>
            world
              .known()
              .filter(({ membership }) => !membership?.isManaged)
              .map(({ id, status }) => ({ id, status }))
          const before = mine().filter(({ status }) => status !== 'deleted')
          world.carryOut(again())
          expect(mine()).to.include.deep.members(before)
          expect(again().actions).to.deep.equal([])
        }
      }),
    )
  })
})
