# opa build -t wasm -e k8s/deny -e k8s/warn made-by-opa.rego (OPA 1.22.2); the policy.wasm of the bundle, compressed, is made-by-opa.wasm.gz.
package k8s

import rego.v1

containers contains [i, c] if some i, c in input.object.spec.containers

deny contains {"msg": msg, "field": sprintf("spec.containers[%d].image", [i])} if {
	some [i, c] in containers
	not regex.match(`@sha256:[0-9a-f]{64}$`, c.image)
	msg := sprintf("%s of team %s has no digest", [c.image, input.params.team])
}

deny contains "the size changed" if {
	input.oldObject.data.size != input.object.data.size
	count(object.keys(input.object.data)) == 1
}

warn contains msg if {
	labels := object.get(input.review.object.metadata, "labels", {})
	missing := {"owner", "tier"} - {key | some key, _ in labels}
	count(missing) > 0
	msg := concat(", ", [sprintf("%s: %d missing", [lower(input.review.kind.kind), count(missing)]), concat(" and ", sort(missing))])
}
