/** The application of Microsoft Entra that the owner of a subscription lets us be. */

export interface AzurePrincipal {
  tenantID: string
  clientID: string
  /** Left out: the process has a federated token, which the application trusts. */
  clientSecret?: string
  /** By the uid of a cluster that does not let the application in. */
  kubeconfigs?: Readonly<Record<string, string>>
}

/** Tenants, clients and subscriptions are named so, and no other way: a name would be put into an address. */
export const guidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** By whom a federated token may be used, and where the process finds it. Nobody else's accounts may borrow what we are. */
export interface FederatedToken {
  orgId: string
  /** Read anew for each sign-in: whoever writes it renews it. */
  file: string
}
