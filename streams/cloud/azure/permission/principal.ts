/** The Microsoft Entra application that a subscription's owner has created for us. */

export interface AzurePrincipal {
  tenantID: string
  clientID: string
  /** If missing, the process has a federated token that the application trusts. */
  clientSecret?: string
  /** Kubeconfigs by cluster uid, for clusters that do not accept the application. */
  kubeconfigs?: Readonly<Record<string, string>>
}

/** Valid ids of tenants, clients and subscriptions. Others are refused, because ids become part of an address. */
export const guidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * The organization that may use a federated token, and its file. Other organizations' accounts must not use our
 * identity.
 */
export interface FederatedToken {
  orgId: string
  /** Read at each sign-in, because it is renewed. */
  file: string
}
