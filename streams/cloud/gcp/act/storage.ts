/** Buckets and data sets. */
import { StartedOperation, Bucket, Dataset } from '#streams/cloud/gcp/answer/service.ts'
import { numberOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf, partsOf } from '#streams/cloud/gcp/resource-path.ts'
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, flagIn, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from './kind.ts'

const pathOfBucket = ({ ref }: At): string => `/b/${encodeURIComponent(lastOf(ref.resourceUid))}`

async function lookBucket(at: At): Promise<ResourceState> {
  const call = { service: 'storage', path: pathOfBucket(at), permission: 'storage.buckets.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, Bucket))
  if (!found) return absent
  const seconds = numberOf(found.softDeletePolicy?.retentionDurationSeconds)
  return {
    exists: true,
    status: 'running',
    specs: dropNullish({
      storage_class: found.storageClass,
      autoclass: found.autoclass?.enabled === true,
      versioning: found.versioning?.enabled === true,
      uniform_access: found.iamConfiguration?.uniformBucketLevelAccess?.enabled === true,
      soft_delete_days: seconds === undefined ? undefined : seconds / 86_400,
    }),
  }
}

const setBucket: Verbs['set'] = async (at, specs) => {
  const days = numberIn(specs, 'soft_delete_days')
  const enabled = (name: string) => {
    const flag = flagIn(specs, name)
    return flag === undefined ? undefined : { enabled: flag }
  }
  const uniform = enabled('uniform_access')
  const body = dropNullish({
    autoclass: enabled('autoclass'),
    versioning: enabled('versioning'),
    softDeletePolicy: days === undefined ? undefined : { retentionDurationSeconds: String(Math.round(days * 86_400)) },
    iamConfiguration: uniform && { uniformBucketLevelAccess: uniform },
  })
  await at.session.ask(
    { service: 'storage', path: pathOfBucket(at), method: 'PATCH', body, permission: 'storage.buckets.update' },
    Bucket,
  )
}

/** One that is not empty Google does not delete. */
export const bucket: ResourceKind<At> = {
  look: lookBucket,
  sets: ['autoclass', 'versioning', 'uniform_access', 'soft_delete_days'],
  set: setBucket,
  delete: (at) =>
    at.session.ask(
      { service: 'storage', path: pathOfBucket(at), method: 'DELETE', permission: 'storage.buckets.delete' },
      StartedOperation,
    ),
}

function pathOfDataset({ ref }: At): string {
  const { projects, datasets } = partsOf(ref.resourceUid, 'projects', 'datasets')
  return `/projects/${projects}/datasets/${datasets}`
}

async function lookDataset(at: At): Promise<ResourceState> {
  const call = { service: 'bigquery', path: pathOfDataset(at), permission: 'bigquery.datasets.get' } as const
  const found = await ignoreNotFound(at.session.ask(call, Dataset))
  if (!found) return absent
  return {
    exists: true,
    status: 'running',
    specs: { billing_model: found.storageBillingModel === 'PHYSICAL' ? 'PHYSICAL' : 'LOGICAL' },
  }
}

const setDataset: Verbs['set'] = async (at, specs) => {
  const model = textIn(specs, 'billing_model')
  if (model !== 'LOGICAL' && model !== 'PHYSICAL')
    throw unsupportedFault(at.ref, 'storage billing models other than LOGICAL and PHYSICAL')
  const body = { storageBillingModel: model }
  await at.session.ask(
    { service: 'bigquery', path: pathOfDataset(at), method: 'PATCH', body, permission: 'bigquery.datasets.update' },
    Dataset,
  )
}

/** One that has tables Google does not delete. */
export const dataset: ResourceKind<At> = {
  look: lookDataset,
  sets: ['billing_model'],
  set: setDataset,
  delete: (at) =>
    at.session.ask(
      { service: 'bigquery', path: pathOfDataset(at), method: 'DELETE', permission: 'bigquery.datasets.delete' },
      StartedOperation,
    ),
}
