/** The identity provider of an organization, as the API shows it. */
import type { Reply } from '../../api.ts'

export type Connection = Reply<'GET /organisations/:orgID/saml'>
export type Domain = Connection['domains'][number]
