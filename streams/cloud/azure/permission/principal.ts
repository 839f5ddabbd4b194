/** The Microsoft Entra application, or the managed identity, that a subscription's owner lets in. */
import type { AzureCloud } from '#streams/cloud/azure/session/cloud.ts'
import { guid } from '#streams/text.ts'

/** With at most one of `proofs`. Without any, the process has a federated token that the application trusts. */
export interface AzurePrincipal {
  tenantID: string
  clientID: string
  clientSecret?: string
  /** PEM: the certificate and its private key. */
  certificate?: string
  /** The application trusts tokens of this installation for the organization. */
  workloadIdentity?: true
  /** `clientID` is a managed identity of the machine on which this installation runs. */
  managedIdentity?: true
  /** The public cloud if missing. */
  cloud?: AzureCloud
  /** Kubeconfigs by cluster uid, for clusters that do not accept the application. */
  kubeconfigs?: Readonly<Record<string, string>>
}

/** What proves to Entra who is calling. */
export const proofs = ['clientSecret', 'certificate', 'workloadIdentity', 'managedIdentity'] as const

/** Valid ids of tenants, clients and subscriptions. Others are refused, because ids become part of an address. */
export const guidShape = new RegExp(guid)

/**
 * The organization that may use a federated token, and its file. Other organizations' accounts must not use our
 * identity.
 */
export interface FederatedToken {
  orgId: string
  /** Read at each sign-in, because it is renewed. */
  file: string
}

/** A managed identity of this machine, and the only organization that may use it. */
export interface ManagedIdentity {
  orgId: string
  clientID: string
}

export const mayUseIdentity = (all: readonly ManagedIdentity[], orgId: string, clientID: string): boolean =>
  all.some((one) => one.orgId === orgId && one.clientID.toLowerCase() === clientID.toLowerCase())
