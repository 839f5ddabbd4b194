/** Azure with state behind answers that are lost, put off and fail, and what is done there until it is so. */
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { bucketOf, type CloudAction, type Connector, type Look, type ResourceRef } from '#streams/cloud/connector.ts'
import { account, answerServer, armError, type Answer, type AnswerServer, type Question } from './answer-server.ts'
import { idFor, type Body, type FarSide } from './far-side.ts'

const subnet =
  '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/Net/providers/Microsoft.Network/virtualNetworks/hub/subnets/AzureFirewallSubnet'
export const addressOf = (name: string) => ({
  name,
  properties: {
    subnet: { id: subnet },
    publicIPAddress: { id: subnet.replace(/virtualNetworks.*/, 'publicIPAddresses/fw') },
  },
})

/** What a thing of a type is beside its power, where that counts. */
export const bodies: Readonly<Record<string, Body>> = {
  'azure-vm': { properties: { hardwareProfile: { vmSize: 'Standard_D2s_v3' } } },
  'azure-vmss': { sku: { name: 'Standard_D2s_v3', capacity: 3 } },
  'azure-postgres': { sku: { name: 'Standard_D2s_v3', tier: 'GeneralPurpose' } },
  'azure-aks-nodepool': { properties: { count: 3, vmSize: 'Standard_D2s_v3', mode: 'User' } },
  'azure-web-app': { kind: 'app' },
  'azure-function-app': { kind: 'functionapp' },
  'azure-ml-compute-instance': { properties: { computeType: 'ComputeInstance', properties: {} } },
  'azure-firewall': {
    tags: { env: 'prod' },
    properties: { sku: { tier: 'Standard' }, ipConfigurations: [addressOf('first')] },
  },
}

export const seed = (n: number) => {
  let state = n * 2654435761
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return (state >>> 0) / 2 ** 32
  }
}

export const refOf = (type: string, name = 'one'): ResourceRef => ({
  resourceUid: idFor(type, name).toLowerCase(),
  type,
  region: 'westeurope',
})

export interface Driving {
  server: AnswerServer
  cloud: Connector
  /** Asked for under one id until it is taken, and looked at until it is so. */
  driven: (action: CloudAction, isDone: (seen: Look) => boolean) => Promise<void>
}

/** With `random` a fifth of all answers is lost once it was done, a fifth is put off, a tenth fails. */
export async function driving(far: FarSide, random?: () => number): Promise<Driving> {
  const faulty = (question: Question): Answer => {
    const chance = random?.() ?? 1
    if (chance < 0.2) return armError(429, 'TooManyRequests', 'Slow down.', { 'retry-after': '1' })
    if (chance < 0.3) return { status: 503 }
    const answer = far.answer(question)
    return chance < 0.5 ? { ...answer, isLost: true } : answer
  }
  const server = await answerServer(faulty, { rules: { budgetMin: 100_000, breakAfter: 1000 } })
  const cloud = azureCloud(server.options)
  const driven: Driving['driven'] = async (action, isDone) => {
    for (let turn = 0; turn < 40; turn++)
      try {
        await cloud.act(account, action)
        for (let look = 0; look < 10; look++) if (isDone(await cloud.look(account, action.resource))) return
      } catch (error) {
        if (bucketOf(error) !== 'transient') throw error
      }
    throw new Error(`${action.kind} of ${action.resource.resourceUid} did not come to its end`)
  }
  return { server, cloud, driven }
}
