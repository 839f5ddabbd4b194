/** The identity providers of an organization and its directory, as the API shows them. */
import type { Reply } from '../../api.ts'

export type Connection = Reply<'GET /organisations/:orgID/saml'>
export type Domain = Connection['domains'][number]
export type OpenIdConnection = Reply<'GET /organisations/:orgID/oidc'>
export type DirectoryToken = Reply<'GET /organisations/:orgID/scim/tokens'>[number]
