/** Container image registries: a Docker repository of Artifact Registry. */
import { fullName } from '#streams/cloud/gcp/resource-path.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { isTrueAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import { Creation, look, remove, uidPathOf, type CloudObject } from './cloud-object.ts'
import { goneFault, labelsOf, ownName, waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

const permissions = {
  get: 'artifactregistry.repositories.get',
  create: 'artifactregistry.repositories.create',
  delete: 'artifactregistry.repositories.delete',
  operation: 'artifactregistry.repositories.get',
} as const

function repositoryOf(
  { project }: GcpSession,
  request: NamedRequest & Partial<Pick<ProvisionRequest, 'tags'>>,
): CloudObject {
  const name = ownName(request)
  return {
    service: 'artifactregistry',
    place: `/projects/${project}/locations/${request.region}`,
    collection: 'repositories',
    name,
    permissions,
    query: { repositoryId: name },
    body: {
      format: 'DOCKER',
      dockerConfig: { immutableTags: request.config['immutableTags'] === true },
      labels: labelsOf({ tags: {}, ...request }),
    },
  }
}

export const create: ProvisionStep = {
  make: async (session, request) => {
    const repository = repositoryOf(session, request)
    const creation = new Creation(session, request)
    if (!(await creation.ensure(repository))) return creation.waiting
    const uri = `${request.region}-docker.pkg.dev/${session.project}/${repository.name}/${String(request.config['name'])}`
    return { status: 'done', output: { registryUid: fullName('artifactregistry', uidPathOf(repository)), uri } }
  },
  unmake: async (session, request) =>
    (await remove(session, request, repositoryOf(session, request))) ? { status: 'done' } : waiting,
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    const repository = repositoryOf(session, request)
    if (await look(session, repository)) return { status: 'done' }
    throw goneFault(`The registry ${repository.name}`)
  },
}

export const describe: Describer = async (session, request) => {
  const found = await look(session, repositoryOf(session, request))
  return found ? { ...request.config, immutableTags: isTrueAt(found, 'dockerConfig', 'immutableTags') } : null
}
