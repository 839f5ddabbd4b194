/** Container image registries: an Azure Container Registry. */
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import { textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { Creation, look, objectIn, removeAll, requireFound, uidIn, type CloudObject } from './cloud-object.ts'
import { configFault, ownName, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

const registryOf = (session: AzureSession, request: NamedRequest): CloudObject =>
  objectIn(session, request, {
    type: 'Microsoft.ContainerRegistry/registries',
    // Names of registries have no dashes.
    name: ownName(request).replaceAll('-', ''),
    version: '2023-07-01',
    body: { sku: { name: 'Basic' }, properties: { adminUserEnabled: false } },
  })

export const validate: ProvisionStep = {
  make: async (_, { config }) => {
    if (config['immutableTags'] === true)
      throw configFault('immutableTags must be false: Azure locks single images, not all tags of a registry.')
    return { status: 'done' }
  },
}

export const create: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const registry = registryOf(session, request)
    const found = await creation.ensure(registry)
    if (!found) return creation.waiting
    const uri = `${textAt(found, 'properties', 'loginServer')}/${String(request.config['name'])}`
    return { status: 'done', output: { registryUid: uidIn(registry), uri } }
  },
  unmake: removeAll,
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    await requireFound(session, registryOf(session, request), 'The registry')
    return { status: 'done' }
  },
}

export const describe: Describer = async (session, request) =>
  (await look(session, registryOf(session, request))) ? { ...request.config, immutableTags: false } : null
