/**
 * The channel file of `web` down to its channel `stable`, whose members follow: every revision is in `candidate`. Tests append
 * what they are about.
 */
export const WEB_CHANNELS = `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: web
defaultChannel: stable
channels:
- name: candidate
  auto: all
- name: stable
`;
