"""Programs of functions with a derivative of their own, for programs.py."""
import jax
import jax.numpy as jnp
from jax import nn

S = lambda dtype: lambda *shape: jax.ShapeDtypeStruct(shape, dtype)
F, I = S(jnp.float32), S(jnp.int32)

PROGRAMS = [
    ("relu", lambda x: nn.relu(x), F(3)),
    ("relu_int", lambda x: nn.relu(x) * 2, I(3)),
    ("relu6", lambda x: nn.relu6(x), F(3)),
    ("relu_many", lambda x, y: (nn.relu(x), nn.relu(y), nn.relu(x)), F(3), F(3)),
    ("logaddexp", lambda x, y: jnp.logaddexp(x, y), F(3), F(3)),
    ("logaddexp_int", lambda x, y: jnp.logaddexp(x, y), I(3), I(3)),
    ("hypot", lambda x, y: jnp.hypot(x, y), F(3), F(3)),
    ("hypot_int", lambda x, y: jnp.hypot(x, y), I(3), I(3)),
    ("softplus", lambda x: nn.softplus(x), F(3)),
    ("log_sigmoid", lambda x: nn.log_sigmoid(x), F(3)),
    ("relu_of_sin", lambda x: nn.relu(jnp.sin(x)).sum(), F(4)),
]
