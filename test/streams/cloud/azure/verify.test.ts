import { expect } from 'chai'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { azurePermissions, blobRead, costRead } from '#streams/cloud/azure/permission/permissions.ts'
import { azureStatement, roleDefinition } from '#streams/cloud/azure/permission/policy.ts'
import { names, verifyAzure } from '#streams/cloud/azure/permission/verify.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import {
  account,
  answerServer,
  armError,
  subscription,
  tenant,
  type Answer,
  type AnswerServer,
} from './answer-server.ts'

const root = `/subscriptions/${subscription}`
const permissionsPath = `${root}/providers/Microsoft.Authorization/permissions`
const shown = { subscriptionId: subscription, tenantId: tenant, state: 'Enabled' }

describe('the verdict of an application at Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const verdict = async (answers: Readonly<Record<string, Answer>>, of: CloudAccount = account) => {
    server = await answerServer(({ path }) => answers[path] ?? armError(404, 'NotFound'))
    return verifyAzure({ open: (one) => openAzure(one, server.options) })(of)
  }
  const allowing = (...roles: object[]) => ({ [root]: { body: shown }, [permissionsPath]: { body: { value: roles } } })
  const role = (actions: readonly string[], notActions: readonly string[] = []) => ({ actions, notActions })

  it('is to read with the role that is printed to read, and to write with the other: nothing is missing', async () => {
    const read = await verdict(allowing(role(roleDefinition().Actions)))
    expect([read.verdict, read.missingPermissions, read.message]).to.deep.equal(['read_only', [], undefined])
    const states = new Set(read.permissions!.filter(({ access }) => access === 'write').map(({ state }) => state))
    expect(states).to.deep.equal(new Set(['missing']))
    await server.close()
    const write = await verdict(allowing(role(roleDefinition({ write: true }).Actions)))
    expect([write.verdict, write.missingPermissions, write.message]).to.deep.equal(['read_write', [], undefined])
    expect(new Set(write.permissions!.map(({ state }) => state))).to.deep.equal(new Set(['granted']))
  })

  it('takes stars for what they stand for, without exceptions, and adds roles up', async () => {
    const found = await verdict(
      allowing(role(['*/read'], ['Microsoft.Sql/*']), role(['microsoft.compute/virtualmachines/START/action'])),
    )
    // Not read_write: machines could be started and not stopped.
    expect(found.verdict).to.equal('read_only')
    const missing = found.missingPermissions
    const sqlReads = ['servers', 'servers/databases', 'servers/elasticPools', 'managedInstances'].map(
      (kind) => `Microsoft.Sql/${kind}/read`,
    )
    expect(missing).to.include.members([...sqlReads, 'Microsoft.Compute/virtualMachines/deallocate/action'])
    expect(missing).not.to.include('Microsoft.Compute/virtualMachines/start/action')
    expect(missing).not.to.include('Microsoft.Compute/disks/read')
    expect(missing).to.include('Microsoft.ContainerService/managedClusters/listClusterUserCredential/action')
  })

  it('is none where no role is assigned, where the subscription is not shown, and where it is of another tenant', async () => {
    const cases: Readonly<Record<string, Answer>>[] = [
      allowing(),
      { [root]: armError(404, 'SubscriptionNotFound') },
      { [root]: armError(403, 'AuthorizationFailed') },
      { [root]: { body: { ...shown, tenantId: '00000000-0000-0000-0000-000000000001' } } },
      allowing(role(['Microsoft.Support/*'])),
    ]
    const verdicts: string[] = []
    for (const answers of cases) {
      const { verdict: one, message = '' } = await verdict(answers)
      verdicts.push(`${one}: ${message.slice(0, 40)}`)
      await server.close()
    }
    server = await answerServer(() => ({}))
    expect(verdicts).to.deep.equal([
      'none: The application cannot see the subscript',
      'none: The application cannot see the subscript',
      'none: The application cannot see the subscript',
      `none: The subscription ${subscription.slice(0, 23)}`,
      'none: The application has none of the required',
    ])
  })

  it('is unknown where Azure does not tell what is allowed', async () => {
    const found = await verdict({ [root]: { body: shown }, [permissionsPath]: armError(403, 'AuthorizationFailed') })
    expect([found.verdict, found.missingPermissions]).to.deep.equal(['unknown', []])
    expect(found.message).to.match(/Microsoft.Authorization\/permissions\/read/)
  })

  it('says that a subscription that is disabled lets nothing be changed', async () => {
    const found = await verdict({ ...allowing(role(['*'])), [root]: { body: { ...shown, state: 'Disabled' } } })
    expect(found.message).to.equal('The subscription is Disabled: Azure does not allow changes in it.')
  })

  it('tries the container of the bill, where the account has one', async () => {
    const location = 'https://bills.blob.core.windows.net/exports/daily'
    const billingExport = { kind: 'focus', location }
    const of = { ...account, billingExport }
    const state = async (answer: Answer) => {
      const found = await verdict({ ...allowing(role(['*'])), '/bills/exports': answer }, of)
      await server.close()
      return found.permissions!.find(({ name }) => name === blobRead)?.state
    }
    expect(await state({ body: '<EnumerationResults/>' })).to.equal('granted')
    const refusal = { 'x-ms-error-code': 'AuthorizationPermissionMismatch' }
    expect(await state({ status: 403, headers: refusal, body: '<Error><Message>no</Message></Error>' })).to.equal(
      'missing',
    )
    expect(await state({ status: 404, headers: { 'x-ms-error-code': 'ContainerNotFound' } })).to.equal('unknown')
    const without = await verdict(allowing(role(['*'])))
    expect(without.permissions!.some(({ name }) => name === blobRead)).to.equal(false)
  })

  it('asks for the right to query costs only where they are queried', async () => {
    const none = allowing(role(['*'], ['Microsoft.CostManagement/query/*']))
    expect((await verdict(none)).verdict).to.equal('read_write')
    await server.close()
    const queried = await verdict(none, {
      ...account,
      billingExport: { kind: 'cost-management', location: `/subscriptions/${subscription}` },
    })
    expect(queried.missingPermissions).to.deep.equal([costRead])
    expect(queried.permissions!.some(({ name }) => name === blobRead)).to.equal(false)
  })
})

describe('the role that is printed for Azure', () => {
  it('has no star, each right once, and to read nothing that changes something', () => {
    const read = roleDefinition()
    expect(read.Actions.filter((name) => /\*|\/(write|delete)$/.test(name))).to.deep.equal([])
    expect(read.Actions.filter((name) => name.endsWith('/action'))).to.deep.equal([
      'Microsoft.ContainerService/managedClusters/listClusterUserCredential/action',
      'Microsoft.DataFactory/factories/integrationRuntimes/getStatus/action',
      'Microsoft.DataFactory/factories/queryPipelineRuns/action',
    ])
    const write = roleDefinition({ write: true, subscription: 's' })
    expect(new Set(write.Actions).size).to.equal(write.Actions.length)
    const all = azurePermissions.flatMap((one) => one.names).filter((name) => name !== blobRead)
    expect(write.Actions).to.deep.equal([...new Set(all)].toSorted())
    expect(write.AssignableScopes).to.deep.equal(['/subscriptions/s'])
  })

  it('is given what it lacks as it takes it: rights to data apart from those to resources', () => {
    expect([azureStatement('Microsoft.Compute/disks/read'), azureStatement(blobRead)]).to.deep.equal([
      { Actions: ['Microsoft.Compute/disks/read'] },
      { DataActions: [blobRead] },
    ])
  })

  it('knows that a star stands for everything in its place, and for nothing else', () => {
    const cases: [string, string, boolean][] = [
      ['*', 'Microsoft.Compute/disks/read', true],
      ['*/read', 'Microsoft.Compute/disks/read', true],
      ['*/read', 'Microsoft.Compute/disks/write', false],
      ['Microsoft.Compute/*/read', 'Microsoft.Compute/disks/read', true],
      ['Microsoft.Compute/*', 'MicrosoftXCompute/disks/read', false],
      ['microsoft.compute/DISKS/read', 'Microsoft.Compute/disks/read', true],
      ['Microsoft.Compute/disks', 'Microsoft.Compute/disks/read', false],
    ]
    expect(cases.map(([pattern, name]) => [pattern, name, names([pattern], name)])).to.deep.equal(cases)
  })
})
