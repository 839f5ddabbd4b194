/**
 * Pools of machines: an instance template, a managed instance group in the zones of the region, its autoscaler, and a
 * load balancer if requested.
 */
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { countAt, isTrueAt, listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionRequest } from '#streams/cloud/provision.ts'
import * as balancer from './balancer.ts'
import { Creation, look, pathOf, remove, uidPathOf, type CloudObject } from './cloud-object.ts'
import { globalObject, regionalObject } from './compute.ts'
import { Answer, failureFault } from './operation.ts'
import { goneFault, labelsOf, ownName, waiting, type Describer, type NamedRequest, type ProvisionStep } from './step.ts'

const permissions = {
  template: {
    get: 'compute.instanceTemplates.get',
    create: 'compute.instanceTemplates.create',
    delete: 'compute.instanceTemplates.delete',
  },
  group: {
    get: 'compute.instanceGroupManagers.get',
    create: 'compute.instanceGroupManagers.create',
    delete: 'compute.instanceGroupManagers.delete',
  },
  scaler: {
    get: 'compute.autoscalers.get',
    create: 'compute.autoscalers.create',
    delete: 'compute.autoscalers.delete',
  },
} as const

type TaggedRequest = NamedRequest & Partial<Pick<ProvisionRequest, 'tags'>>

/** The newest Debian, from the family that Google maintains. */
const imageFor = (machineType: string): string =>
  `projects/debian-cloud/global/images/family/debian-12${/^(t2a|c4a|n4a|a4x)-/.test(machineType) ? '-arm64' : ''}`

function templateOf(session: GcpSession, request: TaggedRequest): CloudObject {
  const machineType = textAt(request.config, 'instanceType') ?? ''
  const labels = labelsOf({ tags: {}, ...request })
  return globalObject(session, request, 'instanceTemplates', permissions.template, {
    properties: {
      machineType,
      disks: [{ boot: true, autoDelete: true, initializeParams: { sourceImage: imageFor(machineType), labels } }],
      // Without an external address.
      networkInterfaces: [{ network: `projects/${session.project}/global/networks/default` }],
      shieldedInstanceConfig: { enableSecureBoot: true, enableVtpm: true, enableIntegrityMonitoring: true },
      tags: { items: [ownName(request)] },
      labels,
    },
  })
}

const groupOf = (session: GcpSession, request: TaggedRequest): CloudObject =>
  regionalObject(session, request, 'instanceGroupManagers', permissions.group, {
    baseInstanceName: ownName(request),
    instanceTemplate: uidPathOf(templateOf(session, request)),
    targetSize: countAt(request.config, 'min') ?? 0,
  })

/** Named as the group, which has only one. */
const scalerOf = (session: GcpSession, request: TaggedRequest): CloudObject =>
  regionalObject(session, request, 'autoscalers', permissions.scaler, {
    target: uidPathOf(groupOf(session, request)),
    autoscalingPolicy: {
      mode: 'ON',
      minNumReplicas: countAt(request.config, 'min') ?? 0,
      maxNumReplicas: countAt(request.config, 'max') ?? 1,
      cpuUtilization: { utilizationTarget: 0.6 },
    },
  })

export const validate: ProvisionStep = {
  make: async (_, request) => {
    balancer.checkPool(request)
    return { status: 'done' }
  },
}

export const template: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const object = templateOf(session, request)
    return (await creation.ensure(object)) ? { status: 'done', output: { name: object.name } } : creation.waiting
  },
  unmake: async (session, request) =>
    (await remove(session, request, templateOf(session, request))) ? { status: 'done' } : waiting,
}

export const group: ProvisionStep = {
  make: async (session, request) => {
    const creation = new Creation(session, request)
    const object = groupOf(session, request)
    const isMade = (await creation.ensure(object)) && (await creation.ensure(scalerOf(session, request)))
    if (!isMade) return creation.waiting
    return { status: 'done', output: { groupUid: uidPathOf(object), name: object.name } }
  },
  unmake: async (session, request) => {
    if (!(await remove(session, request, scalerOf(session, request)))) return waiting
    return (await remove(session, request, groupOf(session, request))) ? { status: 'done' } : waiting
  },
}

/** Done when all machines are there, and healthy if that is checked. @throws why machines cannot be created */
export const verify: ProvisionStep = {
  make: async (session, request) => {
    const object = groupOf(session, request)
    const found = await look(session, object)
    if (!found) throw goneFault(`The group ${object.name}`)
    if (isTrueAt(found, 'status', 'isStable')) return { status: 'done' }
    await checkErrors(session, object)
    return waiting
  },
}

/** The group tries again by itself; what is only temporary is waited for. */
async function checkErrors(session: GcpSession, object: CloudObject): Promise<void> {
  const path = `${pathOf(object)}/listErrors`
  const call = { service: 'compute', path, permission: 'compute.instanceGroupManagers.get' } as const
  const { items } = await session.ask(call, Answer)
  const error = memberOf(listOf(items)[0], 'error')
  const code = textAt(error, 'code')
  if (code === undefined) return
  const fault = failureFault(code, `${object.name}: ${textAt(error, 'message') ?? code}`, session.project)
  if (fault.kind !== 'transient') throw fault
}

export const describe: Describer = async (session, request) => {
  if (!(await look(session, groupOf(session, request)))) return null
  const scaler = await look(session, scalerOf(session, request))
  const made = await look(session, templateOf(session, request))
  const { config } = request
  return {
    ...config,
    min: countAt(scaler, 'autoscalingPolicy', 'minNumReplicas'),
    max: countAt(scaler, 'autoscalingPolicy', 'maxNumReplicas'),
    instanceType: textAt(made, 'properties', 'machineType'),
  }
}
