/** The clouds of accounts, according to the settings. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Registry } from 'prom-client'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { ownPrincipal } from '#streams/cloud/aws/permission/principal.ts'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { mayUseIdentity, type ManagedIdentity } from '#streams/cloud/azure/permission/principal.ts'
import { gcpCloud, type GcpCloudOptions } from '#streams/cloud/gcp/connector.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { ownCluster } from '#streams/cloud/kubernetes/own/connector.ts'
import { measureCalls } from '#streams/cloud/call/meter.ts'
import { cloudsOf, type Clouds, type RealClouds } from '#streams/cloud/index.ts'
import type { Connections } from '#config/state/connect.ts'

/** `subjectToken`: by which clouds' identity pools recognize an organization. */
export function cloudsBy(c: Connections, registry: Registry, subjectToken: GcpCloudOptions['subjectToken']): Clouds {
  const { settings, clock } = c
  const folder = settings.simulationDir ?? settings.dataDir
  const simulated = {
    seed: settings.simulationSeed,
    now: () => new Date(clock.now()),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    today: keptDay(folder, new Date(clock.now())),
    folder,
  }
  // Tests that control the simulated cloud use it for all accounts, unless set otherwise.
  const driver = settings.cloudDriver ?? (settings.testHooks ? 'simulated' : 'real')
  return cloudsOf(simulated, driver === 'real' ? realClouds(c, registry, subjectToken) : undefined)
}

let principal: { found: Promise<string | undefined>; at: number } | undefined

/** Queried again after ten minutes, or if there was none. */
export function principalBy({ awsEndpoint }: Connections['settings']): Promise<string | undefined> {
  if (!principal || performance.now() - principal.at > 600_000)
    principal = { found: ownPrincipal({ endpoint: awsEndpoint }), at: performance.now() }
  const { found } = principal
  void found.then((arn) => {
    if (arn === undefined) principal = undefined
  })
  return found
}

function realClouds(
  { clock, settings }: Connections,
  registry: Registry,
  subjectToken: GcpCloudOptions['subjectToken'],
): RealClouds {
  const caller = new Caller({ clock, meter: measureCalls(registry), random: Math.random })
  const { awsEndpoint, gcpEndpoint, azureEndpoint, allowPrivateAddresses: allowPrivate } = settings
  const [identities, attachedOrg] = [identitiesBy(settings), settings.gcpAttachedIdentityOrg]
  const federated = federatedBy(settings)
  return {
    aws: awsCloud({ caller, clock, allowPrivate, endpoint: awsEndpoint }),
    gcp: gcpCloud({ caller, clock, allowPrivate, endpoint: gcpEndpoint, subjectToken, attachedOrg }),
    azure: azureCloud({ caller, clock, allowPrivate, endpoint: azureEndpoint, federated, identities, subjectToken }),
    cluster: ownCluster({ caller, clock, allowPrivate, inCluster: inClusterBy(settings) }),
  }
}

/** The setting has the form `ORG:CLIENT-ID`. */
const identitiesBy = ({ azureManagedIdentities }: Connections['settings']): ManagedIdentity[] =>
  azureManagedIdentities.map((entry) => {
    const [orgId = '', clientID = ''] = entry.split(':')
    return { orgId, clientID }
  })

/** Which identities of this installation the accounts of an organization may use. */
export const ownIdentities = (settings: Connections['settings'], orgId: string) => ({
  azureFederated: settings.azureFederatedOrg === orgId,
  mayUseIdentity: (clientID: string) => mayUseIdentity(identitiesBy(settings), orgId, clientID),
  googleAttached: settings.gcpAttachedIdentityOrg === orgId,
  kubernetesInCluster: settings.kubernetesInClusterOrg === orgId,
})

/** The names that Kubernetes gives in every cluster. */
function inClusterBy({ kubernetesInClusterOrg: orgId }: Connections['settings']) {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
  return orgId === undefined ? undefined : { orgId, url: 'https://kubernetes.default.svc', folder }
}

function federatedBy({ azureFederatedOrg: orgId, azureFederatedTokenFile: file }: Connections['settings']) {
  return orgId === undefined || file === undefined ? undefined : { orgId, file }
}

/**
 * The day from which the stories of the simulated cloud count back: that of the data folder's first start, so that its
 * past does not move.
 */
function keptDay(folder: string, now: Date): string {
  const file = path.join(folder, 'simulated-cloud.json')
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { today: string }).today
  } catch {
    const today = now.toISOString().slice(0, 10)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, JSON.stringify({ today }))
    return today
  }
}
